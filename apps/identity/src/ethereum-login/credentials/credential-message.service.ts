import { randomUUID } from 'node:crypto';
import {
  ETHEREUM_CREDENTIAL_LIFETIME_MS,
  toEthereumCredentialMarker,
  toEthereumCredentialResources,
} from '@app/auth';
import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import { loadDatabaseTime } from './load-database-time.js';
import { invalidAccount } from '../ethereum-login.errors.js';
import { parseSignInAccount, createSignInMessage } from '../messages/sign-in-message.js';

const STATEMENT = 'Let an application act for you here, reading only, until this message expires.';

/**
 * Creates messages that become Ethereum credentials once signed (`Authorization: Ethereum`). They are not stored, so their
 * request id cannot be exchanged for a login.
 */
@Injectable()
export class CredentialMessageService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly keys: TokenKeysService,
  ) {}

  /** The resource that marks a message as a credential. */
  get credentialResource(): string {
    return toEthereumCredentialMarker(this.urls.PUBLIC_URL);
  }

  /** @throws AppError 400 for a missing account or one that is not on an EVM chain */
  async create(clientId: string, accountId: string | undefined, scopes: readonly Scope[]) {
    if (accountId === undefined) throw invalidAccount('is required for a credential');
    const account = parseSignInAccount(accountId);
    if (account.namespace !== 'eip155') throw invalidAccount('must be an Ethereum account for a credential');
    const { PUBLIC_URL: uri } = this.urls;
    const issuedAt = (await loadDatabaseTime(this.database)).getTime();
    const message = createSignInMessage(
      {
        purpose: 'credential',
        clientId,
        domain: new URL(uri).host,
        uri,
        statement: STATEMENT,
        resources: toEthereumCredentialResources(uri, { clientId, scopes }),
        account,
        issuedAt,
        expiresAt: issuedAt + ETHEREUM_CREDENTIAL_LIFETIME_MS,
      },
      this.keys.getNonceKey(),
    );
    return { requestId: randomUUID(), message };
  }
}
