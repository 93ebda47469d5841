import { randomUUID } from 'node:crypto';
import type { WalletEvent } from '@app/dto';
import type { WalletEventsJob } from '@app/queues';

/** A linked or unlinked wallet, as the SQL statement returned it. */
export interface WalletChange {
  /** CAIP-10. */
  readonly accountId: string;
  /** ISO 8601, from the database's clock. */
  readonly at: string;
}

/** Creates one job for all changes of one statement, or none without changes. */
export function createWalletEventJobs(
  type: WalletEvent['type'],
  userId: string,
  changes: readonly WalletChange[],
): WalletEventsJob[] {
  if (changes.length === 0) return [];
  const events = changes.map(({ accountId, at }) => ({ id: randomUUID(), at, type, userId, accountId }));
  return [{ version: 1, batchId: randomUUID(), events }];
}
