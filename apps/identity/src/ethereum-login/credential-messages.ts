import { randomUUID } from 'node:crypto';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { TokenKeys } from '../token-keys/token-keys.js';
import { badAccount } from './ethereum-login.errors.js';
import { urnOf } from './requested-scopes.js';
import { readSignInAccount } from './sign-in-account.js';
import { writeMessage } from './write-message.js';

/** contract.md section 4. */
const LIFE_MS = 24 * 3_600_000;
const STATEMENT = 'Let an application act for you here, reading only, until this message expires.';

const CLIENT_URN = 'urn:client:';
const clientUrn = (clientId: string): string => CLIENT_URN + clientId;

/** The client application that a credential's message was made for; empty when it names none. */
export const clientIn = (resources: readonly string[]): string =>
  resources.find((one) => one.startsWith(CLIENT_URN))?.slice(CLIENT_URN.length) ?? '';

/**
 * Messages that, signed, are credentials by themselves (`Authorization: Ethereum`). Nothing is kept of them: a request
 * id leads nowhere, so that a credential never becomes a login.
 */
@Injectable()
export class CredentialMessages {
  constructor(
    private readonly urls: PublicUrlsConfig,
    private readonly keys: TokenKeys,
  ) {}

  /** The resource that makes a message a credential. */
  get mark(): string {
    return `${this.urls.PUBLIC_URL}/#credential`;
  }

  /** @throws AppError 400 when it is not said whose it shall be, or not an Ethereum account */
  create(clientId: string, accountId: string | undefined, scopes: readonly Scope[]) {
    if (accountId === undefined) throw badAccount('is required: a credential says whose it is');
    const account = readSignInAccount(accountId);
    if (account.namespace !== 'eip155') throw badAccount('must be of Ethereum: credentials are');
    const { PUBLIC_URL: uri } = this.urls;
    const issuedAt = Date.now();
    const message = writeMessage(
      {
        purpose: 'credential',
        clientId,
        domain: new URL(uri).host,
        uri,
        statement: STATEMENT,
        resources: [this.mark, clientUrn(clientId), ...scopes.map(urnOf)],
        account,
        issuedAt,
        expiresAt: issuedAt + LIFE_MS,
      },
      this.keys.nonceKey(),
    );
    return { requestId: randomUUID(), message };
  }
}
