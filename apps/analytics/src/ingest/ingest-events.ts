import { MINUTE_MS } from '@app/common';
import type { CommunityEvent } from '@app/dto';
import type { EntityManager } from 'typeorm';
import type { RepairEvent } from '../rollups/repair-event.js';
import { lockCommunities } from '../rollups/communities.queries.js';
import { addCounts, toPairCounts } from '../rollups/event-counts.queries.js';
import { insertTransitions } from '../rollups/state-intervals.queries.js';
import { addActivities } from '../rollups/user-sketches.queries.js';
import { raiseCompleteFrom } from './complete-events.queries.js';
import { insertEvents, isStored, loadIngestContext, type StoredEvent } from './events.queries.js';
import { toActivities, toCount, toTransitions } from './to-rollups.js';

/** Clocks of databases may differ. */
const MAX_AHEAD_MS = 5 * MINUTE_MS;

/** Events of producers, and the repairs that reconciliation makes. */
export type IngestedEvent = CommunityEvent | RepairEvent;

export interface IngestOptions {
  readonly retentionMs: number;
  /**
   * Whether events older than the retention time are counted before they are dropped. Only for events that are taken from a
   * table, because repeated ones would count again.
   */
  readonly countsExpired?: boolean;
  /** Whether the events are imported history of a demo. */
  readonly isDemo?: boolean;
}

export interface IngestResult {
  /** Events that were not stored before. */
  readonly stored: number;
  readonly tooOld: number;
  readonly inTheFuture: number;
}

/**
 * Stores events and adds them to the numbers, with a fixed number of statements. Events may come more than once and in any
 * order: only those that were not stored before count. Ignores events that are of no member, and those of deleted communities and erased users.
 */
export async function ingestEvents(
  manager: EntityManager,
  events: readonly IngestedEvent[],
  { retentionMs, countsExpired = false, isDemo = false }: IngestOptions,
): Promise<IngestResult> {
  const { storable, expired, inTheFuture } = await selectStorable(manager, events, retentionMs);
  const uncounted = countsExpired ? expired : [];
  const dropped = { tooOld: expired.length, inTheFuture };
  if (storable.length + uncounted.length === 0) return { stored: 0, ...dropped };
  // Events are stored before communities are locked, so that others wait for what is counted only.
  const newIds = await insertEvents(manager, storable, isDemo);
  await count(manager, [...uncounted, ...storable.filter(({ id }) => newIds.has(id))]);
  if (uncounted.length > 0) await raiseCompleteFrom(manager, findLast(uncounted) + 1);
  return { stored: newIds.size, ...dropped };
}

/** Adds events to the numbers. Locks their communities. */
async function count(manager: EntityManager, added: readonly StoredEvent[]): Promise<void> {
  if (added.length === 0) return;
  await lockCommunities(manager, findFirstEvents(added));
  const pairChanges = await insertTransitions(manager, toTransitions(added));
  await addCounts(manager, [...added.map(toCount), ...toPairCounts(pairChanges)]);
  await addActivities(manager, toActivities(added));
}

/** Events outside of the retention time have no partition, or would be stored twice when they are repeated. */
async function selectStorable(
  manager: EntityManager,
  events: readonly IngestedEvent[],
  retentionMs: number,
): Promise<{ storable: StoredEvent[]; expired: StoredEvent[]; inTheFuture: number }> {
  const storable: StoredEvent[] = [];
  const expired: StoredEvent[] = [];
  let inTheFuture = 0;
  const counted = events.filter(isStored);
  if (counted.length === 0) return { storable, expired, inTheFuture };
  const communityIds = [...new Set(counted.map(({ communityId }) => communityId))];
  const userIds = [...new Set(counted.map(({ userId }) => userId))];
  const { now, deleted, erased } = await loadIngestContext(manager, communityIds, userIds);
  const erasedIds = new Set(erased);
  for (const event of new Map(counted.map((one) => [one.id, one])).values()) {
    if (deleted.includes(event.communityId) || erasedIds.has(event.userId)) continue;
    const time = Date.parse(event.at);
    if (time < now - retentionMs) expired.push(event);
    else if (time > now + MAX_AHEAD_MS) inTheFuture += 1;
    else storable.push(event);
  }
  return { storable, expired, inTheFuture };
}

const findLast = (events: readonly StoredEvent[]): number =>
  events.reduce((last, { at }) => Math.max(last, Date.parse(at)), 0);

/** The time of the first event of each community. */
function findFirstEvents(events: readonly StoredEvent[]): { communityId: string; firstEventAt: string }[] {
  const first = new Map<string, string>();
  for (const { communityId, at } of events) {
    const known = first.get(communityId);
    if (known === undefined || Date.parse(at) < Date.parse(known)) first.set(communityId, at);
  }
  return [...first].map(([communityId, firstEventAt]) => ({ communityId, firstEventAt }));
}
