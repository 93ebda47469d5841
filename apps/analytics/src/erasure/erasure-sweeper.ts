import { randomBytes } from 'node:crypto';
import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import {
  claimErasure,
  type ClaimedErasure,
  deleteErasure,
  rememberErasedUser,
  scheduleSecondErasure,
} from '../ingest/erasures.queries.js';
import { listPartitions } from '../ingest/event-partitions.queries.js';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';
import { lockKnownCommunity } from '../rollups/communities.queries.js';
import { listCommunitiesOfUser, replaceUser } from './erased-rows.queries.js';

const SWEEP_INTERVAL_MS = 2_000;

/**
 * Replaces erased users by a random id for each community, in events and in history. Waits for the events until their erasure,
 * so that the user has left their communities, and runs twice: for transactions that were storing events meanwhile.
 */
@Injectable()
export class ErasureSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
  ) {
    super(context, [{ name: 'erase users', sweep: () => this.eraseNext() }], SWEEP_INTERVAL_MS);
  }

  private async eraseNext(): Promise<boolean> {
    const erasure = await claimErasure(this.database, await findDataUntil(this.database));
    if (!erasure) return false;
    await this.erase(erasure);
    return true;
  }

  private async erase({ userId, isErased }: ClaimedErasure): Promise<void> {
    await rememberErasedUser(this.database, userId);
    for (const communityId of await listCommunitiesOfUser(this.database, userId))
      await this.eraseIn(communityId, userId);
    if (isErased) await deleteErasure(this.database, userId);
    else await scheduleSecondErasure(this.database, userId);
  }

  private async eraseIn(communityId: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await lockKnownCommunity(manager, communityId))) return;
      const attached = (await listPartitions(manager)).filter(({ state }) => state === 'attached');
      const pseudonym = {
        userId: `erased_${toBase62(randomBytes(16), 22)}`,
        salt: randomBytes(32).toString('hex'),
      };
      await replaceUser(
        manager,
        { communityId, userId, partitions: attached.map(({ name }) => name) },
        pseudonym,
      );
    });
  }
}
