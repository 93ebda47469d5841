import { Database, runAfterCommit } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AnalyticsConfig } from './analytics.config.js';
import { markDeleted } from './deleted-communities.queries.js';
import { type IngestedEvent, ingestEvents } from './ingest-events.js';
import { saveErasures } from './erasures.queries.js';
import { saveHeartbeats } from './producer-heartbeats.queries.js';
import { IngestMetrics } from './ingest-metrics.js';

const DAY_MS = 86_400_000;

/** Stores the events of jobs and of the earlier table, with metrics. */
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
  async ingest(events: readonly IngestedEvent[]): Promise<void> {
    const deletions = events.filter((event) => event.type === 'community.deleted');
    if (deletions.length > 0) await markDeleted(this.database, deletions);
    await this.database.transaction((manager) => this.ingestIn(manager, events));
    const erasures = events.filter((event) => event.type === 'user.erased');
    if (erasures.length > 0) await saveErasures(this.database, erasures);
    const heartbeats = events.filter((event) => event.type === 'producer.heartbeat');
    if (heartbeats.length > 0) await saveHeartbeats(this.database, heartbeats);
  }

  /**
   * Ignores events that are of no member, and the events of deleted communities.
   * @param countsExpired as of `ingestEvents`
   */
  async ingestIn(
    manager: EntityManager,
    events: readonly IngestedEvent[],
    { countsExpired = false } = {},
  ): Promise<void> {
    const { retentionMs } = this;
    const { stored, tooOld, inTheFuture } = await ingestEvents(manager, events, {
      retentionMs,
      countsExpired,
    });
    runAfterCommit(manager, () => {
      this.metrics.recordStored(stored);
      this.metrics.recordDropped('too_old', tooOld);
      this.metrics.recordDropped('in_the_future', inTheFuture);
    });
  }
}
