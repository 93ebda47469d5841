import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { deleteNumbers, lockCommunityForPurge } from '../rollups/communities.queries.js';
import { claimPurge, postponePurge, scheduleNextPurge } from './deleted-communities.queries.js';
import { deleteEvents } from './events.queries.js';

class PurgeFailedError extends Error {
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

const SWEEP_INTERVAL_MS = 2_000;
const MAX_ROWS = 5_000;

/** Deletes the events and numbers of deleted communities in batches. */
@Injectable()
export class DeletedCommunitiesSweeper extends Sweeper {
  private readonly logger: ServiceContext['logger'];

  constructor(
    context: ServiceContext,
    private readonly database: Database,
  ) {
    super(context, [{ name: 'purge deleted communities', sweep: () => this.purge() }], SWEEP_INTERVAL_MS);
    this.logger = context.logger;
  }

  private async purge(): Promise<boolean> {
    try {
      return await this.database.transaction((manager) => purgeDeletedCommunity(manager, MAX_ROWS));
    } catch (error) {
      if (!(error instanceof PurgeFailedError)) throw error;
      await postponePurge(this.database, error.communityId);
      this.logger.warn({ err: error }, 'purge of a deleted community failed; retrying later');
      return true;
    }
  }
}
