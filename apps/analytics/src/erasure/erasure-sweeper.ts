import { toBase62 } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import {
  type ClaimedErasure,
  claimErasure,
  deleteErasure,
  keepClaim,
  releaseClaim,
  rememberErasedUser,
  scheduleSecondErasure,
} from '../ingest/erasures.queries.js';
import { listPartitions } from '../ingest/event-partitions.queries.js';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';
import { lockKnownCommunity } from '../rollups/communities.queries.js';
import {
  listSketchesOfUser,
  replaceInEvents,
  replaceInSketches,
  replaceInStates,
} from './erased-rows.queries.js';
import {
  type ErasureProgress,
  type ErasureTarget,
  finishErasure,
  forgetPseudonyms,
  listCommunitiesOfUser,
  startErasure,
  startPartition,
} from './erasure-progress.queries.js';

/** Rows that one transaction reads, which takes far less than the timeout of a statement. */
const DEFAULT_SLICE = 5_000;
/** The slices of one run: other tasks of the app, and its end, wait no longer than for these. */
const MAX_SLICES = 200;
/** Sketches of at most 8 KiB. */
const SKETCHES_PER_STATEMENT = 500;

/**
 * Replaces a user in the events and the history of a community by a random id. Events come first, slice by slice, and each slice is kept
 * when a later one fails. History and sketches change in one transaction, so that reports say the same at every moment.
 * Does nothing for a community that is unknown.
 * @param slice how many events a transaction reads
 * @returns false where events are left for another call
 */
export async function eraseUser(
  database: Database,
  target: ErasureTarget,
  slice = DEFAULT_SLICE,
): Promise<boolean> {
  const inCommunity = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T | undefined> =>
    database.transaction(async (manager) =>
      (await lockKnownCommunity(manager, target.communityId)) ? work(manager) : undefined,
    );
  const progress = await inCommunity((manager) => startErasure(manager, target, createPseudonym()));
  if (!progress) return true;
  let slices = 0;
  while (await inCommunity((manager) => eraseSlice(manager, target, slice)))
    if ((slices += 1) >= MAX_SLICES) return false;
  const sketches = await listSketchesOfUser(database, target, SKETCHES_PER_STATEMENT);
  await inCommunity(async (manager) => {
    await replaceInStates(manager, target, progress);
    await replaceInSketches(manager, target, sketches, progress);
    await finishErasure(manager, target);
  });
  return true;
}

const createPseudonym = () => ({
  userId: `erased_${toBase62(randomBytes(16), 22)}`,
  salt: randomBytes(32).toString('hex'),
});

/** @returns whether there may be more events */
async function eraseSlice(manager: EntityManager, target: ErasureTarget, limit: number): Promise<boolean> {
  const progress: ErasureProgress = await startErasure(manager, target, createPseudonym());
  const attached = (await listPartitions(manager)).filter(({ state }) => state === 'attached');
  // Partitions are erased in the order of their months. The one of the progress may be gone.
  const [partition, next] = attached.map(({ name }) => name).filter((name) => name >= progress.partition);
  if (partition === undefined) return false;
  if (partition !== progress.partition) await startPartition(manager, target, partition);
  if (await replaceInEvents(manager, target, { partition, limit }, progress)) return true;
  if (next !== undefined) await startPartition(manager, target, next);
  return next !== undefined;
}

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
