import type { Scope } from '@app/dto';
import { z } from 'zod';

/** RFC 8414 section 2. */
export const authorizationServerMetadata = z
  .looseObject({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    introspection_endpoint: z.string(),
    revocation_endpoint: z.string(),
    jwks_uri: z.string(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
  })
  .meta({ id: 'AuthorizationServerMetadata' });

/** OpenID Connect Discovery 1.0 section 3. */
export const openIdConfiguration = authorizationServerMetadata
  .extend({
    userinfo_endpoint: z.string(),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
  })
  .meta({ id: 'OpenIdConfiguration' });

/** RFC 9728 section 2. */
export const protectedResource = z
  .object({
    resource: z.string(),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()),
    jwks_uri: z.string(),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_documentation: z.string(),
  })
  .meta({ id: 'ProtectedResourceMetadata' });
export type ProtectedResource = z.output<typeof protectedResource>;

/** The claims that a scope permits, in UserInfo and in id tokens. */
export const CLAIMS_BY_SCOPE = {
  openid: ['sub'],
  'user:read': ['name', 'preferred_username', 'picture'],
  'user:wallet:read': ['wallets'],
} as const satisfies Partial<Record<Scope, readonly string[]>>;

/** OpenID Connect Core 1.0 section 5.3. */
export const userInfo = z
  .object({
    sub: z.string(),
    name: z.string().optional(),
    preferred_username: z.string().optional().meta({
      description:
        'The username, else the ENS name, else the shortened address. It may change, and does not identify the user: `sub` does',
    }),
    picture: z.string().optional(),
    wallets: z.array(z.string()).optional().meta({ description: 'CAIP-10, with `user:wallet:read`' }),
  })
  .meta({ id: 'UserInfo' });
