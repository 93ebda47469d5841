import type { EntityManager } from 'typeorm';
import { deleteNumbers, lockCommunityForPurge } from '../rollups/communities.queries.js';
import { claimPurge, scheduleNextPurge } from './deleted-communities.queries.js';
import { deleteEvents } from './events.queries.js';

export class PurgeFailedError extends Error {
  override readonly name = 'PurgeFailedError';

  constructor(
    readonly communityId: string,
    options: ErrorOptions,
  ) {
    super('the purge of a deleted community failed', options);
  }
}

/**
 * Deletes a batch of the events and numbers of a deleted community.
 * @param maxRows of each table. @returns whether more may be due now
 * @throws PurgeFailedError
 */
export async function purgeDeletedCommunity(manager: EntityManager, maxRows: number): Promise<boolean> {
  const id = await claimPurge(manager);
  if (id === undefined) return false;
  try {
    await lockCommunityForPurge(manager, id);
    const hasMore =
      (await deleteEvents(manager, id, maxRows)) === maxRows || (await deleteNumbers(manager, id, maxRows));
    if (!hasMore) await scheduleNextPurge(manager, id);
    return true;
  } catch (error) {
    throw new PurgeFailedError(id, { cause: error });
  }
}
