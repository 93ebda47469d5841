import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { postponePurge } from './deleted-communities.queries.js';
import { PurgeFailedError, purgeDeletedCommunity } from './purge-deleted-community.js';

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
