import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { deleteNumbers } from '../rollups/communities.queries.js';
import { claimPurge, scheduleNextPurge } from './deleted-communities.queries.js';
import { deleteEvents } from './events.queries.js';

const SWEEP_INTERVAL_MS = 2_000;
const MAX_ROWS = 5_000;

/** Deletes the events and numbers of deleted communities in batches. */
@Injectable()
export class DeletedCommunitiesSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
  ) {
    super(context, [{ name: 'purge deleted communities', sweep: () => this.purge() }], SWEEP_INTERVAL_MS);
  }

  private purge(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const id = await claimPurge(manager);
      if (id === undefined) return false;
      const hasMore =
        (await deleteEvents(manager, id, MAX_ROWS)) === MAX_ROWS ||
        (await deleteNumbers(manager, id, MAX_ROWS));
      if (!hasMore) await scheduleNextPurge(manager, id);
      return true;
    });
  }
}
