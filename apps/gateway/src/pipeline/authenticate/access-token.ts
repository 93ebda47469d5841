import { decodeBase64url } from '@app/auth';
import { z } from 'zod';

const MAX_TOKEN_LENGTH = 8_192;
/** How far another machine's clock may be ahead of ours. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Ours have these and no more: no key of the sender's (`jwk`, `jku`, `x5u`), nothing that must be understood (`crit`). */
const accessTokenHeader = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal('at+jwt'),
  kid: z.string().min(1).max(64),
});

/** RFC 9068 section 2.2. Issuer and audience are passport-jwt's to check; it knows one of several audiences, ours has one. */
export const accessTokenClaims = z.object({
  aud: z.string(),
  exp: z.int(),
  iat: z.int().refine((iat) => iat <= Date.now() / 1_000 + MAX_CLOCK_SKEW_SECONDS),
  jti: z.string().min(1).max(256),
  sub: z.string().min(1).max(256),
  client_id: z.string().min(1).max(128),
  scope: z.string().max(4_096),
  auth_time: z.int().optional(),
});

/**
 * The id of the key that an access token names, for text that has the form of one: three parts in their one spelling of
 * base64url and exactly the header that ours have. It proves nothing else.
 */
export function parseAccessTokenKid(token: string): string | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const parts = token.split('.').map((part) => (part === '' ? undefined : decodeBase64url(part)));
  const [head] = parts;
  if (!head || parts.length !== 3 || parts.includes(undefined)) return undefined;
  try {
    return accessTokenHeader.parse(JSON.parse(head.toString('utf8'))).kid;
  } catch {
    // Whatever is wrong with it, it names no key of ours.
    return undefined;
  }
}
