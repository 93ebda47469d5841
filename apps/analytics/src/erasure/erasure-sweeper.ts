import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import {
  claimErasure,
  type ClaimedErasure,
  deleteErasure,
  keepClaim,
  releaseClaim,
  rememberErasedUser,
  scheduleSecondErasure,
} from '../ingest/erasures.queries.js';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';
import { eraseUser } from './erase-user.js';
import { forgetPseudonyms, listCommunitiesOfUser } from './erasure-progress.queries.js';

const SWEEP_INTERVAL_MS = 2_000;

/**
 * Replaces erased users by a random id for each community, in events and in history. Waits for the events until their erasure,
 * so that the user has left their communities, and runs twice: for transactions that were storing events meanwhile.
 */
@Injectable()
export class ErasureSweeper extends Sweeper {
  private readonly logger: ServiceContext['logger'];

  constructor(
    context: ServiceContext,
    private readonly database: Database,
  ) {
    super(context, [{ name: 'erase users', sweep: () => this.eraseNext() }], SWEEP_INTERVAL_MS);
    this.logger = context.logger;
  }

  private async eraseNext(): Promise<boolean> {
    const erasure = await claimErasure(this.database, await findDataUntil(this.database));
    if (!erasure) return false;
    // The claim of ten minutes is the pause of a user whose erasure fails; the next user is erased at once.
    await this.erase(erasure).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'a user is not erased yet; retrying later');
    });
    return true;
  }

  private async erase({ userId, isErased }: ClaimedErasure): Promise<void> {
    await rememberErasedUser(this.database, userId);
    for (const communityId of await listCommunitiesOfUser(this.database, userId, isErased)) {
      const isDone = await eraseUser(this.database, { userId, communityId });
      if (!isDone) return releaseClaim(this.database, userId);
      await keepClaim(this.database, userId);
    }
    if (!isErased) return scheduleSecondErasure(this.database, userId);
    await forgetPseudonyms(this.database, userId);
    await deleteErasure(this.database, userId);
  }
}
