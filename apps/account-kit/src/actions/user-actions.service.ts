import { Database } from '@app/database';
import type { RequestingClient } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SmartAccountsService } from '../custody/accounts/smart-accounts.service.js';
import { EvmClientService } from '../evm/nodes/evm-client.service.js';
import { checkFrozen } from '../limits/freezes.queries.js';
import { SignerClient } from '../custody/signer-client.js';
import type { PlatformToken } from '../owners/platform-user.js';
import { TokenAudienceService } from '../custody/token-audience/token-audience.service.js';
import { type ActionSigner, ActionService } from './action.service.js';
import type { CustomAction } from './custom-actions.queries.js';
import type { CustomActionRequest, CustomActionResponse } from './custom-action.dto.js';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import {
  type ActionKeyName,
  findActionKey,
  insertActionKey,
} from '../custody/stored-keys/action-keys.queries.js';

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

/** Runs custom actions for the user of a platform token, with a key of the user's account for actions. */
@Injectable()
export class UserActionsService {
  constructor(
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly addresses: ActionAddressesService,
    private readonly signer: SignerClient,
    private readonly actions: ActionService,
    private readonly database: Database,
    private readonly chains: EvmClientService,
  ) {}

  /** @throws AppError as ActionService.execute; 400 `chain_not_supported`; 401, 403, 429, 502 and 503 of the platform */
  async execute(
    token: PlatformToken,
    { client, chainId }: { readonly client: RequestingClient; readonly chainId: number },
    request: CustomActionRequest,
  ): Promise<CustomActionResponse> {
    this.chains.checkSupported(chainId);
    const user = await this.audience.loadForSigning({ ...token, clientId: client.id });
    const account = await this.accounts.load(user);
    const owner = { accountId: account.id, clientId: client.id };
    await checkFrozen(this.database, owner);
    const loadSigner = async ({ cid, keyScope }: CustomAction): Promise<ActionSigner> => ({
      address: keyScope === 'account' ? account.actionAddress : await this.addresses.load(owner),
      sign: (bytes) => this.signer.signActionBytes({ ...owner, cid }, bytes),
    });
    return this.actions.execute({ client, loadSigner }, request);
  }
}
