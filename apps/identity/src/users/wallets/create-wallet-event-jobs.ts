import { randomUUID } from 'node:crypto';
import type { WalletEvent } from '@app/dto';
import type { WalletEventsJob } from '@app/queues';

/** What happened to a user's wallet, as the statement that did it says. */
export interface WalletChange {
  /** CAIP-10. */
  readonly accountId: string;
  /** ISO 8601, by the database's clock. */
  readonly at: string;
}

/** One job with all that one statement did to a user's wallets; none for nothing. */
export function createWalletEventJobs(
  type: WalletEvent['type'],
  userId: string,
  changes: readonly WalletChange[],
): WalletEventsJob[] {
  if (changes.length === 0) return [];
  const events = changes.map(({ accountId, at }) => ({ id: randomUUID(), at, type, userId, accountId }));
  return [{ version: 1, batchId: randomUUID(), events }];
}
