import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { parseScopeClaim } from '../../credentials/effective-scopes.js';
import { TokenKeyCache } from '../../credentials/token-key-cache.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { GatewayConfig } from '../../gateway.config.js';
import { accessTokenClaims, parseAccessTokenKid } from './access-token.js';
import { createCredentialReader } from './credential-headers.js';

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
    const { sub, client_id: clientId, jti, exp, scope, auth_time: authTime, amr } = data;
    const isClient = sub.startsWith('client:');
    if (isClient && sub !== `client:${clientId}`) return false;
    return {
      id: jti,
      clientId,
      user: isClient ? undefined : { id: sub, authTime, amr },
      scopes: parseScopeClaim(scope),
      expiresAtMs: exp * 1_000,
    };
  }
}
