import { randomBytes } from 'node:crypto';
import { type AeClaims, decryptAeToken, encryptAeToken } from '@app/auth';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { TokenKeyConfig } from '../../tokens/keys/token-key.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import {
  DELETE_AE_TOKEN,
  DELETE_USER_AE_TOKENS,
  deletedTokenRows,
  INSERT_AE_TOKEN,
  type ActiveLogin,
  SELECT_ACTIVE_LOGINS,
  activeLoginRows,
} from './ae-token.queries.js';
import type { WalletLogin } from '../challenges/wallet-login.js';

/** AE tokens: made, remembered while they live, and ended before their time. */
@Injectable()
export class AeTokenService {
  constructor(
    private readonly database: Database,
    private readonly keys: TokenKeysService,
    private readonly urls: PublicUrlsConfig,
    private readonly writes: CredentialTransactionService,
    private readonly revocations: RevocationsService,
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
    const token = encryptAeToken({ ...claims, scope, wallet: account }, this.keys.getSealingKey());
    const times = [iat, exp].map((seconds) => new Date(seconds * 1_000));
    await this.database.query(INSERT_AE_TOKEN, [jti, userId, clientId, scopes, ...times]);
    return token;
  }

  /** What a user is signed in to by a wallet's signature, by client application. */
  async listActiveLogins(userId: string): Promise<ActiveLogin[]> {
    return activeLoginRows.parse(await this.database.query(SELECT_ACTIVE_LOGINS, [userId]));
  }

  /** Ends a user's tokens at one client application. */
  async revokeAllForClient(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      const tokens = deletedTokenRows.parse(await manager.query(DELETE_USER_AE_TOKENS, [userId, clientId]));
      await this.revocations.revoke(manager, tokens);
    });
  }

  /** What a token of ours says. Whether it has expired or was revoked is not asked here. */
  parse(token: string): AeClaims | undefined {
    const claims = decryptAeToken(token, (kid) => this.keys.findAeKey(kid));
    return claims?.iss === this.urls.PUBLIC_URL ? claims : undefined;
  }

  /** Ends one token, by what it says itself: whether we remember it does not matter. */
  async revoke({ jti, exp }: AeClaims): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await manager.query(DELETE_AE_TOKEN, [jti]);
      await this.revocations.revoke(manager, [{ id: jti, expiresAt: new Date(exp * 1_000) }]);
    });
  }
}
