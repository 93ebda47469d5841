import { boundEntries } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { SignerClient } from './signer-client.js';
import { type ActionKeyName, findActionKey, insertActionKey } from './stored-keys/action-keys.queries.js';

/** Accounts of all tenants share the places: an address that gives its place away costs one query. */
const MAX_CACHED_ADDRESSES = 20_000;

/** Addresses of the keys of custom actions. The row of an address is stored before the address is answered, and never changes. */
@Injectable()
export class ActionAddressesService {
  private readonly stored = new LRUCache<string, Address>(boundEntries(MAX_CACHED_ADDRESSES));

  constructor(
    private readonly database: Database,
    private readonly signer: SignerClient,
  ) {}

  async load(name: ActionKeyName): Promise<Address> {
    const cacheKey = `${name.accountId} ${name.clientId}`;
    const known = this.stored.get(cacheKey);
    if (known) return known;
    const { address } = (await findActionKey(this.database, name)) ?? (await this.create(name));
    this.stored.set(cacheKey, address);
    return address;
  }

  private async create(name: ActionKeyName): Promise<{ readonly address: Address }> {
    await insertActionKey(this.database, name, await this.signer.deriveActionAddress(name));
    // Another instance may have stored the key first, with another root.
    const stored = await findActionKey(this.database, name);
    if (stored === undefined) throw new Error('an action key that existed a moment ago is gone');
    return stored;
  }
}
