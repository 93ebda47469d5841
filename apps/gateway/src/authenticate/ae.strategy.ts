import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { openAeToken } from '@app/auth';
import { TokenKeyRing } from '../credentials/token-key-ring.js';
import type { VerifiedToken } from '../credentials/verified-tokens.js';
import { GatewayConfig } from '../gateway.config.js';
import { credentialOf } from './authorization.js';
import { HeaderStrategy } from './header-strategy.js';
import { scopesIn } from './scopes-in.js';

/** `Authorization: AE`: the id token of a Sign-in with Ethereum or Solana (contract.md section 4). */
@Injectable()
export class AeStrategy extends PassportStrategy(HeaderStrategy, 'ae') {
  constructor(
    private readonly keys: TokenKeyRing,
    private readonly config: GatewayConfig,
  ) {
    super(credentialOf('ae'));
  }

  /** @returns false for a token that is not ours or not for us */
  async validate(token: string): Promise<VerifiedToken | false> {
    const { PUBLIC_URL } = this.config;
    const claims = await this.keys.reading('ae', (keyOf) => openAeToken(token, keyOf));
    if (claims?.iss !== PUBLIC_URL || claims.aud !== PUBLIC_URL) return false;
    return {
      id: claims.jti,
      clientId: claims.client_id,
      // It is made at the moment of signing in.
      user: { id: claims.sub, account: claims.wallet, authTime: claims.iat },
      scopes: scopesIn(claims.scope),
      expiresAtMs: claims.exp * 1_000,
    };
  }
}
