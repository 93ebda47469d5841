import { loginMethods, weakLoginHeader } from '@app/auth';
import { decodeBase64url } from '@app/common';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { z } from 'zod';
import { parseScopeClaim } from '../../credentials/effective-scopes.js';
import { TokenKeyCache } from '../../credentials/token-key-cache.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { GatewayConfig } from '../../gateway.config.js';
import { createCredentialReader } from './credential-headers.js';
import { MAX_CLOCK_SKEW_MS } from './strategies.js';

const MAX_TOKEN_LENGTH = 8_192;

const walletLoginHeader = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal('at+jwt'),
  kid: z.string().min(1).max(64),
});

/** Strict: rejects headers that name the sender's own key (`jwk`, `jku`, `x5u`) and other critical extensions (`crit`) than `amr`. */
const accessTokenHeader = z.union([walletLoginHeader, walletLoginHeader.extend(weakLoginHeader.shape)]);

/** RFC 9068 section 2.2. passport-jwt checks issuer and audience; `aud` is a string here to reject several audiences. */
const accessTokenClaims = z.object({
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
function parseAccessTokenKid(token: string): string | undefined {
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

const invalidAccessToken = new Error('The access token is invalid');

/** `Authorization: Bearer`: an access token, RFC 9068 with ES256 (contract.md section 4). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(keys: TokenKeyCache, { PUBLIC_URL }: GatewayConfig) {
    super({
      jwtFromRequest: (request: Request) => createCredentialReader('bearer')(request) ?? null,
      // Must not throw: passport-jwt does not catch errors of this callback.
      secretOrKeyProvider: (_: Request, token: string, done: (error: unknown, key?: string) => void) => {
        const kid = parseAccessTokenKid(token);
        if (kid === undefined) {
          done(invalidAccessToken);
          return;
        }
        keys
          .readWithKeys('access', (findKey) => findKey(kid))
          .then(
            (key) => {
              done(key === undefined ? invalidAccessToken : null, key);
            },
            (error: unknown) => {
              done(error);
            },
          );
      },
      algorithms: ['ES256'],
      issuer: PUBLIC_URL,
      audience: PUBLIC_URL,
    });
  }

  /** @returns false for a correctly signed token that is no access token */
  validate(payload: unknown): VerifiedToken | false {
    const { success, data } = accessTokenClaims.safeParse(payload);
    if (!success) return false;
    const { sub, client_id: clientId, jti, iat, exp, scope, auth_time: authTime, amr } = data;
    const isClient = sub.startsWith('client:');
    if (isClient && sub !== `client:${clientId}`) return false;
    return {
      id: jti,
      clientId,
      user: isClient ? undefined : { id: sub, authTime, amr, tokenIssuedAt: iat },
      scopes: parseScopeClaim(scope),
      expiresAtMs: exp * 1_000,
    };
  }
}
