import { randomBytes } from 'node:crypto';
import { type AeClaims, openAeToken, sealAeToken } from '@app/auth';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CredentialWrites } from '../credentials/credential-writes.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { Revocations } from '../revocations/revocations.js';
import { TokenKeyConfig } from '../token-keys/token-key.config.js';
import { TokenKeys } from '../token-keys/token-keys.js';
import {
  DELETE_ONE,
  DELETE_OF_USER,
  ended,
  INSERT,
  type LiveLogin,
  LIVE,
  liveLogins,
} from './ae-token-rows.js';
import type { WalletLogin } from './wallet-login.js';

/** AE tokens: made, remembered while they live, and ended before their time. */
@Injectable()
export class AeTokens {
  constructor(
    private readonly database: Database,
    private readonly keys: TokenKeys,
    private readonly urls: PublicUrlsConfig,
    private readonly writes: CredentialWrites,
    private readonly revocations: Revocations,
    private readonly config: TokenKeyConfig,
  ) {}

  /** The token's text. */
  async issue(clientId: string, { userId, account, scopes }: WalletLogin): Promise<string> {
    const { PUBLIC_URL } = this.urls;
    const iat = Math.floor(Date.now() / 1_000);
    const exp = iat + this.config.ACCESS_TOKEN_LIFETIME_SECONDS;
    const jti = toBase62(randomBytes(16), 22);
    const scope = scopes.join(' ');
    const claims = { iss: PUBLIC_URL, sub: userId, aud: PUBLIC_URL, iat, exp, jti, client_id: clientId };
    const token = sealAeToken({ ...claims, scope, wallet: account }, this.keys.sealing());
    const times = [iat, exp].map((seconds) => new Date(seconds * 1_000));
    await this.database.query(INSERT, [jti, userId, clientId, scopes, ...times]);
    return token;
  }

  /** What a user is signed in to by a wallet's signature, by client application. */
  async liveOf(userId: string): Promise<LiveLogin[]> {
    return liveLogins.parse(await this.database.query(LIVE, [userId]));
  }

  /** Ends a user's tokens at one client application. */
  async revokeOf(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      const tokens = ended.parse(await manager.query(DELETE_OF_USER, [userId, clientId]));
      await this.revocations.revoke(manager, tokens);
    });
  }

  /** What a token of ours says. Whether it has expired or was revoked is not asked here. */
  read(token: string): AeClaims | undefined {
    const claims = openAeToken(token, (kid) => this.keys.aeKeyOf(kid));
    return claims?.iss === this.urls.PUBLIC_URL ? claims : undefined;
  }

  /** Ends one token, by what it says itself: whether we remember it does not matter. */
  async end({ jti, exp }: AeClaims): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await manager.query(DELETE_ONE, [jti]);
      await this.revocations.revoke(manager, [{ id: jti, expiresAt: new Date(exp * 1_000) }]);
    });
  }
}
