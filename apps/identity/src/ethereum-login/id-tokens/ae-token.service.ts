import { randomBytes } from 'node:crypto';
import { type AeClaims, decryptAeToken, encryptAeToken } from '@app/auth';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { TokenConfig } from '../../tokens/token.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import type { IdTokenRequest, IdTokenResponse } from '../ethereum-login.dto.js';
import { type ActiveLogin, AeTokenQueries } from './ae-tokens.queries.js';
import { UserEventsService } from '../../users/user-events.service.js';
import { type WalletLogin, WalletLoginService } from '../challenges/wallet-login.service.js';

/** Issues, stores and revokes AE tokens. */
@Injectable()
export class AeTokenService {
  constructor(
    private readonly queries: AeTokenQueries,
    private readonly keys: TokenKeysService,
    private readonly urls: PublicUrlsConfig,
    private readonly transactions: CredentialTransactionService,
    private readonly revocations: RevocationsService,
    private readonly config: TokenConfig,
    private readonly database: Database,
    private readonly events: UserEventsService,
  ) {}

  async issue(clientId: string, { userId, account, scopes }: WalletLogin): Promise<string> {
    const { PUBLIC_URL } = this.urls;
    const iat = Math.floor(Date.now() / 1_000);
    const exp = iat + this.config.ACCESS_TOKEN_LIFETIME_SECONDS;
    const jti = toBase62(randomBytes(16), 22);
    const scope = scopes.join(' ');
    const claims = { iss: PUBLIC_URL, sub: userId, aud: PUBLIC_URL, iat, exp, jti, client_id: clientId };
    const token = encryptAeToken({ ...claims, scope, wallet: account }, this.keys.getSealingKey());
    const [issuedAt, expiresAt] = [new Date(iat * 1_000), new Date(exp * 1_000)];
    await this.database.transaction(async (manager) => {
      const row = { jti, userId, clientId, scopes, issuedAt, expiresAt };
      const at = await this.queries.insert(manager, row);
      await this.events.publish(manager, { type: 'user.signed_in', at, userId, clientId });
    });
    return token;
  }

  /** The client applications in which the user has a live AE token. */
  listActiveLogins(userId: string): Promise<ActiveLogin[]> {
    return this.queries.listActiveLogins(userId);
  }

  /** Revokes the user's AE tokens of one client application. */
  async revokeAllForClient(userId: string, clientId: string): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      const tokens = await this.queries.deleteAllForClient(manager, userId, clientId);
      await this.revocations.revoke(manager, tokens);
    });
  }

  /** The claims of a token that this service issued. Checks neither expiry nor revocation. */
  parse(token: string): AeClaims | undefined {
    const claims = decryptAeToken(token, (kid) => this.keys.findAeKey(kid));
    return claims?.iss === this.urls.PUBLIC_URL ? claims : undefined;
  }

  /** Revokes a token by its claims, also one that is no longer stored. */
  async revoke({ jti, exp }: AeClaims): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await this.queries.delete(manager, jti);
      await this.revocations.revoke(manager, [{ id: jti, expiresAt: new Date(exp * 1_000) }]);
    });
  }
}

/** The id token of a wallet login is an AE token. */
@Injectable()
export class IdTokensService {
  constructor(
    private readonly logins: WalletLoginService,
    private readonly tokens: AeTokenService,
  ) {}

  async create(clientId: string, request: IdTokenRequest): Promise<IdTokenResponse> {
    const login = await this.logins.completeLogin({ clientId }, request);
    return { idToken: await this.tokens.issue(clientId, login) };
  }
}
