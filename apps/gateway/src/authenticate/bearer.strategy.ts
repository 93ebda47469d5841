import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { TokenKeyRing } from '../credentials/token-key-ring.js';
import type { VerifiedToken } from '../credentials/verified-tokens.js';
import { GatewayConfig } from '../gateway.config.js';
import { accessClaims, accessTokenKid } from './access-token.js';
import { credentialOf } from './authorization.js';
import { scopesIn } from './scopes-in.js';

const refused = new Error('Not an access token of ours');

/** `Authorization: Bearer`: an access token, RFC 9068 with ES256 (contract.md section 4). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(keys: TokenKeyRing, { PUBLIC_URL }: GatewayConfig) {
    super({
      jwtFromRequest: (request: Request) => credentialOf('bearer')(request) ?? null,
      // Nothing here may throw: passport-jwt would not catch it.
      secretOrKeyProvider: (_: Request, token: string, done: (error: unknown, key?: string) => void) => {
        const kid = accessTokenKid(token);
        if (kid === undefined) {
          done(refused);
          return;
        }
        keys
          .reading('access', (keyOf) => keyOf(kid))
          .then(
            (key) => {
              done(key === undefined ? refused : null, key);
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

  /** @returns false for a token that our key signed for another end */
  validate(payload: unknown): VerifiedToken | false {
    const { success, data } = accessClaims.safeParse(payload);
    if (!success) return false;
    const { sub, client_id: clientId, jti, exp, scope, auth_time: authTime } = data;
    const isClient = sub.startsWith('client:');
    if (isClient && sub !== `client:${clientId}`) return false;
    return {
      id: jti,
      clientId,
      user: isClient ? undefined : { id: sub, authTime },
      scopes: scopesIn(scope),
      expiresAtMs: exp * 1_000,
    };
  }
}
