import { createPrefixedId } from '@app/common';
import { queryRows } from '@app/database';
import { OutboxService } from '@app/outbox';
import { walletEventsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Wallet } from './wallet.js';
import { createWalletEventJobs } from './create-wallet-event-jobs.js';
import {
  DELETE_WALLETS,
  deletedWalletRows,
  INSERT_WALLET,
  insertedWalletRow,
  LOCK_USER,
} from './wallet-connection.queries.js';

/** `full`: the user has as many as one may have, and this one not. */
export type LinkOutcome = 'linked' | 'known' | 'full';

/** Which of a user's wallets: those at an address, those with one of these keys (see Wallet), or all. */
export type WalletSelection = { readonly address: string } | { readonly keys: readonly string[] } | 'all';

/** Wallets that users have. Every change is told on the queue of wallet events, if and only if its transaction commits. */
@Injectable()
export class WalletConnectionsService {
  constructor(private readonly outbox: OutboxService) {}

  /** Within a transaction. Nothing is told of a wallet that the user had. */
  async link(manager: EntityManager, userId: string, wallet: Wallet): Promise<LinkOutcome> {
    const { platform, key, address, accountId, type, chainId } = wallet;
    await queryRows(manager, LOCK_USER, [userId]);
    const row = [createPrefixedId('wallet'), userId, key, address, accountId, platform, type, chainId];
    const [{ isKnown, at }] = insertedWalletRow.parse(await queryRows(manager, INSERT_WALLET, row));
    if (at === null) return isKnown ? 'known' : 'full';
    const jobs = createWalletEventJobs('wallet.linked', userId, [{ accountId, at }]);
    await this.outbox.add(manager, walletEventsQueue, jobs);
    return 'linked';
  }

  /** Within a transaction. @returns how many they were */
  async unlink(manager: EntityManager, userId: string, meant: WalletSelection): Promise<number> {
    const address = typeof meant === 'object' && 'address' in meant ? meant.address : null;
    const keys = typeof meant === 'object' && 'keys' in meant ? meant.keys : null;
    await queryRows(manager, LOCK_USER, [userId]);
    const gone = deletedWalletRows.parse(await queryRows(manager, DELETE_WALLETS, [userId, address, keys]));
    await this.outbox.add(manager, walletEventsQueue, createWalletEventJobs('wallet.unlinked', userId, gone));
    return gone.length;
  }
}
