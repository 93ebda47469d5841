import { DAY_MS } from '@app/common';
import type { EntityManager } from 'typeorm';
import { isErasing } from '../erasure/erasure-progress.queries.js';
import { loadCompleteFrom } from '../ingest/complete-events.queries.js';
import { lockKnownCommunity } from '../rollups/communities.queries.js';
import { addCounts, toPairCounts } from '../rollups/event-counts.queries.js';
import { formatDay } from '../rollups/quarter-hours.js';
import { addActivities } from '../rollups/user-sketches.queries.js';
import {
  countEvents,
  deleteNumbersFrom,
  listActiveUsers,
  listEventDays,
  listPairChanges,
  rebuildStates,
} from './rebuild.queries.js';

export interface RebuildResult {
  /** The first UTC day that was rebuilt. Numbers of earlier days stay, because their events are not complete. */
  readonly from: string;
  readonly days: number;
  readonly events: number;
}

/**
 * Replaces the numbers of a community by those that follow from its events. Reports see the numbers before or after it, and
 * events of the community that arrive meanwhile wait.
 * @returns undefined for a community without numbers. @throws Error while a user is being erased, whose events have two names
 */
export async function rebuildNumbers(
  manager: EntityManager,
  communityId: string,
): Promise<RebuildResult | undefined> {
  if (!(await lockKnownCommunity(manager, communityId))) return undefined;
  if (await isErasing(manager, communityId))
    throw new Error('A user of the community is being erased: try again in some minutes.');
  const completeFrom = await loadCompleteFrom(manager);
  const firstDay = Math.ceil(completeFrom.getTime() / DAY_MS);
  const from = formatDay(firstDay);
  await deleteNumbersFrom(manager, communityId, from);
  await rebuildStates(manager, communityId, from);
  await addCounts(manager, toPairCounts(await listPairChanges(manager, communityId, from)));
  const days = await listEventDays(manager, communityId, from);
  let events = 0;
  for (const day of days) {
    const counts = await countEvents(manager, communityId, day);
    await addCounts(manager, counts);
    await addActivities(manager, await listActiveUsers(manager, communityId, day));
    events += counts.reduce((sum, { count }) => sum + count, 0);
  }
  return { from, days: days.length, events };
}
