import { randomUUID } from 'node:crypto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { boundEntries, DAY_SECONDS, notFound, SECOND_MS, tooManyRequests } from '@app/common';
import { LRUCache } from 'lru-cache';
import { ACCOUNT_SALT, smartAccountAddress } from '../../evm/accounts/account-address.js';
import type { AccountVersion } from '../../evm/accounts/account-contracts.js';
import { SignerClient } from '../signer-client.js';
import type { PlatformUser } from '../../owners/platform-user.js';
import {
  countNewAccount,
  deleteOldCounts,
  findSmartAccount,
  insertSmartAccount,
  type SmartAccount,
} from './smart-accounts.queries.js';
/** Seconds until the next UTC day. */
const secondsOfDayLeft = () => DAY_SECONDS - (Math.floor(Date.now() / SECOND_MS) % DAY_SECONDS);

const accountNotFound = () =>
  notFound('account_not_found', 'The account does not exist yet: read its addresses once, which makes it.');

const newAccountLimitExceeded = () =>
  tooManyRequests(
    'new_account_limit_exceeded',
    'Your client application has asked for too many new users today: try again tomorrow (UTC).',
    { retryAfter: secondsOfDayLeft() },
  );

/** Accounts keep their version for life; this one is for new accounts. */
const NEW_ACCOUNT_VERSION: AccountVersion = '0.8';

/** New users that one client application may ask for on one day (contract.md section 10). */
const MAX_NEW_ACCOUNTS_PER_DAY = 1_000;

/** Accounts of all tenants share the places: one that gives its place away costs one query. */
const MAX_CACHED_ACCOUNTS = 20_000;

/** Smart accounts of platform users. Their rows are stored before an address is answered, and never change. */
@Injectable()
export class SmartAccountsService {
  private readonly stored = new LRUCache<string, SmartAccount>(boundEntries(MAX_CACHED_ACCOUNTS));

  constructor(
    private readonly database: Database,
    private readonly signer: SignerClient,
  ) {}

  /** Loads the account of a user who has proved to be that user. */
  async load(user: PlatformUser): Promise<SmartAccount> {
    return (await this.find(user)) ?? this.create(user);
  }

  /** Loads the account of a user without making one. @throws AppError 404 */
  async loadStored(user: PlatformUser): Promise<SmartAccount> {
    const account = await this.find(user);
    if (account === undefined) throw accountNotFound();
    return account;
  }

  /**
   * Loads the account of a user whom a client application names without proof.
   * @throws AppError 429 when the client application has named too many new users today
   */
  async loadNamed(user: PlatformUser, clientId: string): Promise<SmartAccount> {
    return (await this.find(user)) ?? this.create(user, clientId);
  }

  private async find(user: PlatformUser): Promise<SmartAccount | undefined> {
    const key = `${user.platform} ${user.userId}`;
    const known = this.stored.get(key);
    if (known) return known;
    const account = await findSmartAccount(this.database, user);
    if (account) this.stored.set(key, account);
    return account;
  }

  /** @param countedFor client application on whose daily limit a new account counts */
  private async create(user: PlatformUser, countedFor?: string): Promise<SmartAccount> {
    const keys = await this.signer.deriveAddresses(user);
    const account: SmartAccount = {
      id: randomUUID(),
      accountVersion: NEW_ACCOUNT_VERSION,
      ...keys,
      evmAddress: smartAccountAddress({
        owner: keys.signerAddress,
        salt: ACCOUNT_SALT,
        version: NEW_ACCOUNT_VERSION,
      }),
    };
    const isInserted = await this.database.transaction(async (manager) => {
      if (!(await insertSmartAccount(manager, { ...user, ...account }))) return false;
      if (countedFor === undefined) return true;
      // Rolls the account back, too.
      if (!(await countNewAccount(manager, countedFor, MAX_NEW_ACCOUNTS_PER_DAY)))
        throw newAccountLimitExceeded();
      await deleteOldCounts(manager, countedFor);
      return true;
    });
    if (isInserted) return account;
    const stored = await findSmartAccount(this.database, user);
    if (stored === undefined) throw new Error('an account that existed a moment ago is gone');
    return stored;
  }
}
