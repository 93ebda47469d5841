import { EXAMPLES } from '@app/dto';
import { z } from 'zod';

/** Client credentials in the body instead of HTTP Basic (RFC 6749 section 2.3.1). */
const clientInBody = {
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
};

const oneOf = (...values: string[]) => ({ documentAs: { type: 'string', enum: values } });

/** Checks the form only. oidc-provider reports the errors that RFC 6749 defines. */
export const tokenRequest = z
  .object({
    grant_type: z.string().meta(oneOf('authorization_code', 'refresh_token', 'client_credentials')),
    code: z.string().optional(),
    redirect_uri: z.string().optional().meta({ description: 'As in the authorization request' }),
    code_verifier: z.string().optional(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
    ...clientInBody,
  })
  .meta({
    id: 'OAuthTokenRequest',
    example: { grant_type: 'client_credentials', scope: 'token-gating', client_id: EXAMPLES.clientId },
  });

/** RFC 6749 section 5.1. A form or JSON, as `Accept` names it; without either JSON for OpenID Connect, else a form. */
export const tokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().positive(),
    scope: z.string(),
    refresh_token: z.string().optional(),
    id_token: z.string().optional(),
  })
  .meta({ id: 'OAuthTokenAnswer' });

/** RFC 6749 section 5.2. */
export const oauthError = z
  .object({ error: z.string(), error_description: z.string().optional() })
  .meta({ id: 'OAuthError' });

/** RFC 7009 section 2.1 and RFC 7662 section 2.1. */
export const presentedTokenRequest = z
  .object({
    token: z.string().max(8_192),
    token_type_hint: z.string().optional(),
    ...clientInBody,
  })
  .meta({ id: 'OAuthTokenQuestion', example: { token: 'token', client_id: EXAMPLES.clientId } });

/** RFC 7662 section 2.2. The response for an inactive token has no other fields. */
export const introspectionResponse = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    sub: z.string().optional(),
    aud: z.string().optional(),
    iss: z.string().optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    jti: z.string().optional(),
    token_type: z.string().optional(),
  })
  .meta({ id: 'OAuthIntrospection' });
