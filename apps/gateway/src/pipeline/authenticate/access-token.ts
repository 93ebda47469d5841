import { loginMethods, weakLoginHeader } from '@app/auth';
import { decodeBase64url } from '@app/common';
import { z } from 'zod';
import { MAX_CLOCK_SKEW_MS } from './max-clock-skew.js';

const MAX_TOKEN_LENGTH = 8_192;

const walletLoginHeader = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal('at+jwt'),
  kid: z.string().min(1).max(64),
});

/** Strict: rejects headers that name the sender's own key (`jwk`, `jku`, `x5u`) and other critical extensions (`crit`) than `amr`. */
const accessTokenHeader = z.union([walletLoginHeader, walletLoginHeader.extend(weakLoginHeader.shape)]);

/** RFC 9068 section 2.2. passport-jwt checks issuer and audience; `aud` is a string here to reject several audiences. */
export const accessTokenClaims = z.object({
  aud: z.string(),
  exp: z.int(),
  iat: z.int().refine((iat) => iat * 1_000 <= Date.now() + MAX_CLOCK_SKEW_MS),
  jti: z.string().min(1).max(256),
  sub: z.string().min(1).max(256),
  client_id: z.string().min(1).max(128),
  scope: z.string().max(4_096),
  auth_time: z.int().optional(),
  amr: loginMethods.optional(),
});

/**
 * The key id of an access token; undefined unless it has three parts in canonical base64url and the expected header. Does
 * not verify the signature.
 */
export function parseAccessTokenKid(token: string): string | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const parts = token.split('.').map((part) => (part === '' ? undefined : decodeBase64url(part)));
  const [head] = parts;
  if (!head || parts.length !== 3 || parts.includes(undefined)) return undefined;
  try {
    return accessTokenHeader.parse(JSON.parse(head.toString('utf8'))).kid;
  } catch {
    return undefined;
  }
}
