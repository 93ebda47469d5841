import { randomUUID } from 'node:crypto';
import { createPrefixedId } from '@app/common';
import type { WalletEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { walletEventsQueue, type WalletEventsJob } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { lockUser } from '../users.queries.js';
import {
  deleteWallets,
  insertWallet,
  type WalletOwner,
  type WalletSelection,
} from './wallet-connections.queries.js';
import type { Wallet } from './wallet.js';

export type LinkOutcome = 'linked' | 'already_linked' | 'limit_exceeded';

/** The wallets of a user who signs in. */
export const toAccountOwner = (userId: string): WalletOwner => ({ userId, communityId: '' });

/** Links and unlinks users' wallets. The outbox publishes every change as a wallet event once its transaction commits. */
@Injectable()
export class WalletConnectionsService {
  constructor(private readonly outbox: OutboxService) {}

  /** Call in a transaction. Publishes no event for a wallet that is already linked. */
  async link(manager: EntityManager, owner: WalletOwner, wallet: Wallet): Promise<LinkOutcome> {
    await lockUser(manager, owner.userId);
    const { isKnown, at } = await insertWallet(manager, createPrefixedId('wallet'), owner, wallet);
    if (at === null) return isKnown ? 'already_linked' : 'limit_exceeded';
    const jobs = createWalletEventJobs('wallet.linked', owner, [{ accountId: wallet.accountId, at }]);
    await this.outbox.add(manager, walletEventsQueue, jobs);
    return 'linked';
  }

  /** Call in a transaction. @returns the number of unlinked wallets */
  async unlink(manager: EntityManager, owner: WalletOwner, selection: WalletSelection): Promise<number> {
    await lockUser(manager, owner.userId);
    const unlinked = await deleteWallets(manager, owner, selection);
    const jobs = createWalletEventJobs('wallet.unlinked', owner, unlinked);
    await this.outbox.add(manager, walletEventsQueue, jobs);
    return unlinked.length;
  }
}

/** A linked or unlinked wallet, as the SQL statement returned it. */
interface WalletChange {
  /** CAIP-10. */
  readonly accountId: string;
  /** ISO 8601, from the database's clock. */
  readonly at: string;
}

/** Creates one job for all changes of one statement, or none without changes. */
function createWalletEventJobs(
  type: WalletEvent['type'],
  { userId, communityId }: WalletOwner,
  changes: readonly WalletChange[],
): WalletEventsJob[] {
  if (changes.length === 0) return [];
  const place = communityId === '' ? {} : { communityId };
  const events = changes.map(({ accountId, at }) => ({
    id: randomUUID(),
    at,
    type,
    userId,
    accountId,
    ...place,
  }));
  return [{ version: 1, batchId: randomUUID(), events }];
}
