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
import { type DropReason, IngestMetrics } from './ingest-metrics.js';
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

  /** Ignores `community.deleted` events, and the events of deleted communities. */
  async ingestIn(manager: EntityManager, events: readonly CommunityEvent[]): Promise<void> {
    const counted = events.filter((event) => event.type !== 'community.deleted');
    const byId = new Map(counted.map((event) => [event.id, event]));
    const acceptable = await this.dropUnacceptable(manager, [...byId.values()]);
    if (acceptable.length === 0) return;
    await lockCommunities(manager, findFirstEvents(acceptable));
    const newIds = await insertEvents(manager, acceptable);
    const added = acceptable.filter(({ id }) => newIds.has(id));
    if (added.length === 0) return;
    const pairChanges = await insertTransitions(manager, added.map(toTransition));
    const pairCounts = pairChanges.map(({ communityId, quarter, change }): Count => ({
      ...{ communityId, quarter, count: change },
      ...{ kind: 'wallet.pairs', roleId: '' },
    }));
    await addCounts(manager, [...added.map(toCount), ...pairCounts]);
    await addActivities(manager, toActivities(added));
    runAfterCommit(manager, () => {
      this.metrics.recordStored(added.length);
    });
  }

  /** Events outside of the retention time have no partition, or would be stored twice when they are repeated. */
  private async dropUnacceptable(
    manager: EntityManager,
    events: readonly StoredEvent[],
  ): Promise<readonly StoredEvent[]> {
    if (events.length === 0) return events;
    const communityIds = [...new Set(events.map(({ communityId }) => communityId))];
    const { now, deleted } = await loadIngestContext(manager, communityIds);
    const dropped = { too_old: 0, in_the_future: 0 } satisfies Record<DropReason, number>;
    const acceptable = events.filter(({ communityId, at }) => {
      if (deleted.includes(communityId)) return false;
      const time = Date.parse(at);
      if (time < now - this.retentionMs) dropped.too_old += 1;
      else if (time > now + MAX_AHEAD_MS) dropped.in_the_future += 1;
      else return true;
      return false;
    });
    runAfterCommit(manager, () => {
      this.metrics.recordDropped('too_old', dropped.too_old);
      this.metrics.recordDropped('in_the_future', dropped.in_the_future);
    });
    return acceptable;
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
