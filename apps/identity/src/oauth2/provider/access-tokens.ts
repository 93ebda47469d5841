import { createLocalJWKSet, errors, jwtVerify, SignJWT } from 'jose';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../../public-urls.config.js';
import { TokenKeys } from '../../token-keys/token-keys.js';

/** What an access token says (RFC 9068 section 2.2). */
export interface AccessTokenFacts {
  readonly jti: string;
  /** The user, or `client:<id>`. */
  readonly sub: string;
  readonly clientId: string;
  readonly scope: string | undefined;
  /** Unix seconds. */
  readonly iat: number;
  readonly exp: number;
  /** When the user signed in, Unix seconds. */
  readonly authTime: number | undefined;
}

const TYPE = 'at+jwt';
const ALG = 'ES256';

/** Access tokens as JWTs, which gateways check by themselves. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly keys: TokenKeys,
    private readonly urls: PublicUrlsConfig,
  ) {}

  sign({ jti, sub, clientId, scope, iat, exp, authTime }: AccessTokenFacts): Promise<string> {
    const { kid, privateKey } = this.keys.signing('access');
    const issuer = this.urls.PUBLIC_URL;
    const claims = {
      iss: issuer,
      aud: issuer,
      sub,
      client_id: clientId,
      scope,
      jti,
      iat,
      exp,
      auth_time: authTime,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: ALG, typ: TYPE, kid }).sign(privateKey);
  }

  /** The id of a token that we signed and that has not expired; whether it was revoked is not asked here. */
  async idOf(token: string): Promise<string | undefined> {
    const { access } = this.keys.gatewayKeys();
    const issuer = this.urls.PUBLIC_URL;
    const checks = { algorithms: [ALG], typ: TYPE, issuer, audience: issuer };
    try {
      const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: [...access] }), checks);
      return payload.jti;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}
