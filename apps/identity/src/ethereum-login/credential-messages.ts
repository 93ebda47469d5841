import { randomUUID } from 'node:crypto';
import { CREDENTIAL_LIFE_MS, credentialMark, grantResources } from '@app/auth';
import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { TokenKeys } from '../token-keys/token-keys.js';
import { databaseTime } from './credential-time.js';
import { badAccount } from './ethereum-login.errors.js';
import { readSignInAccount } from './sign-in-account.js';
import { writeMessage } from './write-message.js';

const STATEMENT = 'Let an application act for you here, reading only, until this message expires.';

/**
 * Messages that, signed, are credentials by themselves (`Authorization: Ethereum`). Nothing is kept of them: a request
 * id leads nowhere, so that a credential never becomes a login.
 */
@Injectable()
export class CredentialMessages {
  constructor(
    private readonly database: Database,
    private readonly urls: PublicUrlsConfig,
    private readonly keys: TokenKeys,
  ) {}

  /** The resource that makes a message a credential. */
  get mark(): string {
    return credentialMark(this.urls.PUBLIC_URL);
  }

  /** @throws AppError 400 when it is not said whose it shall be, or not an Ethereum account */
  async create(clientId: string, accountId: string | undefined, scopes: readonly Scope[]) {
    if (accountId === undefined) throw badAccount('is required: a credential says whose it is');
    const account = readSignInAccount(accountId);
    if (account.namespace !== 'eip155') throw badAccount('must be of Ethereum: credentials are');
    const { PUBLIC_URL: uri } = this.urls;
    const issuedAt = (await databaseTime(this.database)).getTime();
    const message = writeMessage(
      {
        purpose: 'credential',
        clientId,
        domain: new URL(uri).host,
        uri,
        statement: STATEMENT,
        resources: grantResources(uri, { clientId, scopes }),
        account,
        issuedAt,
        expiresAt: issuedAt + CREDENTIAL_LIFE_MS,
      },
      this.keys.nonceKey(),
    );
    return { requestId: randomUUID(), message };
  }
}
