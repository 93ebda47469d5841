import { randomUUID } from 'node:crypto';
import {
  ETHEREUM_CREDENTIAL_LIFETIME_MS,
  toEthereumCredentialMarker,
  toEthereumCredentialResources,
} from '@app/auth';
import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import { loadDatabaseTime } from './load-database-time.js';
import { invalidAccount } from '../ethereum-login.errors.js';
import { parseSignInAccount } from '../messages/sign-in-account.js';
import { createSignInMessage } from '../messages/create-sign-in-message.js';

const STATEMENT = 'Let an application act for you here, reading only, until this message expires.';

/**
 * Messages that, signed, are credentials by themselves (`Authorization: Ethereum`). Nothing is kept of them: a request
 * id leads nowhere, so that a credential never becomes a login.
 */
@Injectable()
export class CredentialMessageService {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly keys: TokenKeysService,
  ) {}

  /** The resource that makes a message a credential. */
  get credentialResource(): string {
    return toEthereumCredentialMarker(this.urls.PUBLIC_URL);
  }

  /** @throws AppError 400 when it is not said whose it shall be, or not an Ethereum account */
  async create(clientId: string, accountId: string | undefined, scopes: readonly Scope[]) {
    if (accountId === undefined) throw invalidAccount('is required: a credential says whose it is');
    const account = parseSignInAccount(accountId);
    if (account.namespace !== 'eip155') throw invalidAccount('must be of Ethereum: credentials are');
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
