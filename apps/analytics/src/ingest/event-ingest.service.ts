import { Database, runAfterCommit } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { lockCommunities } from '../rollups/communities.queries.js';
import { addCounts, type Count } from '../rollups/event-counts.queries.js';
import { insertTransitions } from '../rollups/state-intervals.queries.js';
import { addActivities } from '../rollups/user-sketches.queries.js';
import { AnalyticsConfig } from './analytics.config.js';
import { markDeleted } from './deleted-communities.queries.js';
import { insertEvents, loadIngestContext, type StoredEvent } from './events.queries.js';
import { IngestMetrics } from './ingest-metrics.js';
import { toActivities, toCount, toTransition } from './to-rollups.js';

const DAY_MS = 86_400_000;
/** Clocks of databases may differ. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Stores events and adds them to the numbers, in one transaction and with a fixed number of statements. Events may come more
 * than once and in any order: only those that were not stored before count.
 */
@Injectable()
export class EventIngestService {
  private readonly retentionMs: number;

  constructor(
    private readonly database: Database,
    { ANALYTICS_RETENTION_DAYS }: AnalyticsConfig,
    private readonly metrics: IngestMetrics,
  ) {
    this.retentionMs = ANALYTICS_RETENTION_DAYS * DAY_MS;
  }

  /** A `community.deleted` event marks the community, also if it is old. */
  async ingest(events: readonly CommunityEvent[]): Promise<void> {
    const deletions = events.filter(({ type }) => type === 'community.deleted');
    if (deletions.length > 0) await markDeleted(this.database, deletions);
    await this.database.transaction((manager) => this.ingestIn(manager, events));
  }

  /**
   * Ignores `community.deleted` events, and the events of deleted communities.
   * @param countsExpired whether events older than the retention time are counted before they are dropped. Only for events
   *   that are taken from a table, because repeated ones would count again.
   */
  async ingestIn(
    manager: EntityManager,
    events: readonly CommunityEvent[],
    { countsExpired = false } = {},
  ): Promise<void> {
    const counted = events.filter((event) => event.type !== 'community.deleted');
    const byId = new Map(counted.map((event) => [event.id, event]));
    const { storable, expired } = await this.dropUnacceptable(manager, [...byId.values()]);
    const uncounted = countsExpired ? expired : [];
    if (storable.length + uncounted.length === 0) return;
    await lockCommunities(manager, findFirstEvents([...storable, ...uncounted]));
    const newIds = await insertEvents(manager, storable);
    await this.count(manager, [...uncounted, ...storable.filter(({ id }) => newIds.has(id))]);
    runAfterCommit(manager, () => {
      this.metrics.recordStored(newIds.size);
    });
  }

  /** Adds events to the numbers. Their communities must be locked. */
  private async count(manager: EntityManager, added: readonly StoredEvent[]): Promise<void> {
    if (added.length === 0) return;
    const pairChanges = await insertTransitions(manager, added.map(toTransition));
    const pairCounts = pairChanges.map(({ communityId, quarter, change }): Count => ({
      ...{ communityId, quarter, count: change },
      ...{ kind: 'wallet.pairs', roleId: '' },
    }));
    await addCounts(manager, [...added.map(toCount), ...pairCounts]);
    await addActivities(manager, toActivities(added));
  }

  /** Events outside of the retention time have no partition, or would be stored twice when they are repeated. */
  private async dropUnacceptable(
    manager: EntityManager,
    events: readonly StoredEvent[],
  ): Promise<{ storable: readonly StoredEvent[]; expired: readonly StoredEvent[] }> {
    const storable: StoredEvent[] = [];
    const expired: StoredEvent[] = [];
    if (events.length === 0) return { storable, expired };
    const communityIds = [...new Set(events.map(({ communityId }) => communityId))];
    const { now, deleted } = await loadIngestContext(manager, communityIds);
    let ahead = 0;
    for (const event of events) {
      if (deleted.includes(event.communityId)) continue;
      const time = Date.parse(event.at);
      if (time < now - this.retentionMs) expired.push(event);
      else if (time > now + MAX_AHEAD_MS) ahead += 1;
      else storable.push(event);
    }
    runAfterCommit(manager, () => {
      this.metrics.recordDropped('too_old', expired.length);
      this.metrics.recordDropped('in_the_future', ahead);
    });
    return { storable, expired };
  }
}

/** The time of the first event of each community. */
function findFirstEvents(events: readonly StoredEvent[]): { communityId: string; firstEventAt: string }[] {
  const first = new Map<string, string>();
  for (const { communityId, at } of events) {
    const known = first.get(communityId);
    if (known === undefined || Date.parse(at) < Date.parse(known)) first.set(communityId, at);
  }
  return [...first].map(([communityId, firstEventAt]) => ({ communityId, firstEventAt }));
}
