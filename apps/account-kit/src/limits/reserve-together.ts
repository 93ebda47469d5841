import type { Queryable } from '@app/database';
import { LRUCache } from 'lru-cache';
import { type NewReservations, reserve } from './reservations.queries.js';

/** Operations of a client application without room in a cap are accepted alone for this time. */
const FULL_MS = 5_000;
const MAX_FULL = 1_000;

/** There was no room in a cap for some operations. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';

  constructor(readonly operationIds: ReadonlySet<string>) {
    super('a cap has no room');
  }
}

/** Reserves parts of caps for several operations, in the transaction that accepts them. @throws NoRoomError */
export async function reserveTogether(db: Queryable, requests: readonly NewReservations[]): Promise<void> {
  const full = await reserve(db, requests);
  const withoutRoom = requests.filter((_, index) => full[index]?.length !== 0);
  if (withoutRoom.length > 0)
    throw new NoRoomError(new Set(withoutRoom.map(({ operationId }) => operationId)));
}

/**
 * Ids of client applications that have just found no room in a cap. Their next operations are likely to find none, and would have the
 * transaction of the others rolled back each time.
 */
export const createFullClients = () => new LRUCache<string, true>({ max: MAX_FULL, ttl: FULL_MS });
