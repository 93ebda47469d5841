import { randomUUID } from 'node:crypto';
import { createPrefixedId } from '@app/common';
import { queryRows } from '@app/database';
import type { WalletEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { walletEventsQueue, type WalletEventsJob } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Wallet } from './wallet.js';
import {
  DELETE_WALLETS,
  deletedWalletRows,
  INSERT_WALLET,
  insertedWalletRow,
  LOCK_USER,
} from './wallet-connection.queries.js';

export type LinkOutcome = 'linked' | 'already_linked' | 'limit_exceeded';

/** Some of a user's wallets: those at an address, those with one of these keys (see Wallet), or all. */
export type WalletSelection = { readonly address: string } | { readonly keys: readonly string[] } | 'all';

/** Links and unlinks users' wallets. The outbox publishes every change as a wallet event once its transaction commits. */
@Injectable()
export class WalletConnectionsService {
  constructor(private readonly outbox: OutboxService) {}

  /** Call in a transaction. Publishes no event for a wallet that is already linked. */
  async link(manager: EntityManager, userId: string, wallet: Wallet): Promise<LinkOutcome> {
    const { platform, key, address, accountId, type, chainId } = wallet;
    await queryRows(manager, LOCK_USER, [userId]);
    const row = [createPrefixedId('wallet'), userId, key, address, accountId, platform, type, chainId];
    const [{ isKnown, at }] = insertedWalletRow.parse(await queryRows(manager, INSERT_WALLET, row));
    if (at === null) return isKnown ? 'already_linked' : 'limit_exceeded';
    const jobs = createWalletEventJobs('wallet.linked', userId, [{ accountId, at }]);
    await this.outbox.add(manager, walletEventsQueue, jobs);
    return 'linked';
  }

  /** Call in a transaction. @returns the number of unlinked wallets */
  async unlink(manager: EntityManager, userId: string, selection: WalletSelection): Promise<number> {
    const address = typeof selection === 'object' && 'address' in selection ? selection.address : null;
    const keys = typeof selection === 'object' && 'keys' in selection ? selection.keys : null;
    await queryRows(manager, LOCK_USER, [userId]);
    const unlinked = deletedWalletRows.parse(
      await queryRows(manager, DELETE_WALLETS, [userId, address, keys]),
    );
    await this.outbox.add(
      manager,
      walletEventsQueue,
      createWalletEventJobs('wallet.unlinked', userId, unlinked),
    );
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
  userId: string,
  changes: readonly WalletChange[],
): WalletEventsJob[] {
  if (changes.length === 0) return [];
  const events = changes.map(({ accountId, at }) => ({ id: randomUUID(), at, type, userId, accountId }));
  return [{ version: 1, batchId: randomUUID(), events }];
}
