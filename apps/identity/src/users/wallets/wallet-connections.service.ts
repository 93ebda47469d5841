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

  /** Call in a transaction. Publishes no event for a wallet that is already linked, else also one for other users that have it. */
  async link(manager: EntityManager, owner: WalletOwner, wallet: Wallet): Promise<LinkOutcome> {
    await lockUser(manager, owner.userId);
    const walletId = createPrefixedId('wallet');
    const { isKnown, at, otherUserIds } = await insertWallet(manager, walletId, owner, wallet);
    if (at === null) return isKnown ? 'already_linked' : 'limit_exceeded';
    const change = { accountId: wallet.accountId, at };
    const others = otherUserIds.map((userId) => ({ ...toAccountOwner(userId), ...change }));
    const jobs = [
      ...createWalletEventJobs('wallet.linked', [{ ...owner, ...change }]),
      ...createWalletEventJobs('wallet.shared', others),
    ];
    await this.outbox.add(manager, walletEventsQueue, jobs);
    return 'linked';
  }

  /** Call in a transaction. @returns the number of unlinked wallets */
  async unlink(manager: EntityManager, owner: WalletOwner, selection: WalletSelection): Promise<number> {
    await lockUser(manager, owner.userId);
    const unlinked = await deleteWallets(manager, owner, selection);
    const changes = unlinked.map((change) => ({ ...owner, ...change }));
    const jobs = createWalletEventJobs('wallet.unlinked', changes);
    await this.outbox.add(manager, walletEventsQueue, jobs);
    return unlinked.length;
  }
}

/** A linked or unlinked wallet, as the SQL statement returned it. */
interface WalletChange extends WalletOwner {
  /** CAIP-10. */
  readonly accountId: string;
  /** ISO 8601, from the database's clock. */
  readonly at: string;
}

/** Creates one job for all changes of one statement, or none without changes. */
function createWalletEventJobs(
  type: WalletEvent['type'],
  changes: readonly WalletChange[],
): WalletEventsJob[] {
  if (changes.length === 0) return [];
  const events = changes.map(({ communityId, ...change }) => ({
    id: randomUUID(),
    type,
    ...change,
    ...(communityId === '' ? {} : { communityId }),
  }));
  return [{ version: 1, batchId: randomUUID(), events }];
}
