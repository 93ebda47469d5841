import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { purgeDeletedCommunity } from './purge-deleted-community.js';

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
    return this.database.transaction((manager) => purgeDeletedCommunity(manager, MAX_ROWS));
  }
}
