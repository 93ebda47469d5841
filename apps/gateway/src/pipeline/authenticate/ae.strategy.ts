import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { decryptAeToken } from '@app/auth';
import { parseScopeClaim } from '../../credentials/effective-scopes.js';
import { TokenKeyCache } from '../../credentials/token-key-cache.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { GatewayConfig } from '../../gateway.config.js';
import { createCredentialReader } from './credential-headers.js';
import { HeaderStrategy } from './strategies.js';

/** `Authorization: AE`: the id token of a Sign-in with Ethereum or Solana (contract.md section 4). */
@Injectable()
export class AeStrategy extends PassportStrategy(HeaderStrategy, 'ae') {
  constructor(
    private readonly keys: TokenKeyCache,
    private readonly config: GatewayConfig,
  ) {
    super(createCredentialReader('ae'));
  }

  /** @returns false for an invalid token, or one with another issuer or audience */
  async validate(token: string): Promise<VerifiedToken | false> {
    const { PUBLIC_URL } = this.config;
    const claims = await this.keys.readWithKeys('ae', (findKey) => decryptAeToken(token, findKey));
    if (claims?.iss !== PUBLIC_URL || claims.aud !== PUBLIC_URL) return false;
    return {
      id: claims.jti,
      clientId: claims.client_id,
      // An AE token is issued at sign-in only.
      user: { id: claims.sub, account: claims.wallet, authTime: claims.iat, tokenIssuedAt: claims.iat },
      scopes: parseScopeClaim(claims.scope),
      expiresAtMs: claims.exp * 1_000,
    };
  }
}
