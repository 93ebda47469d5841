import { createBatcher, DAY_MS } from '@app/common';
import { Database, runAfterCommit } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { AnalyticsConfig } from './analytics.config.js';
import { markDeleted } from './deleted-communities.queries.js';
import { type IngestedEvent, ingestEvents } from './ingest-events.js';
import { saveErasures } from './erasures.queries.js';
import { saveHeartbeats } from './producer-heartbeats.queries.js';
import {
  communityEventsQueue,
  type CommunityEventsJob,
  Consumer,
  Consumes,
  findHandledUntil,
  InjectProducer,
  Producer,
  retryWhileUnavailable,
} from '@app/queues';
import type { CommunityEvent } from '@app/dto';
import type { Job } from 'bullmq';

/** Why an event is not stored. */
type DropReason = 'too_old' | 'in_the_future';

@Injectable()
export class IngestMetrics {
  private readonly stored: Counter;
  private readonly dropped: Counter<'reason'>;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.stored = new Counter({
      name: 'analytics_events_stored_total',
      help: 'Community events that were stored and counted.',
      registers,
    });
    this.dropped = new Counter({
      name: 'analytics_events_dropped_total',
      help: 'Community events that were dropped because of their time.',
      labelNames: ['reason'] as const,
      registers,
    });
  }

  recordStored(count: number): void {
    this.stored.inc(count);
  }

  recordDropped(reason: DropReason, count: number): void {
    this.dropped.inc({ reason }, count);
  }
}

/**
 * Two transactions at once: while the first counts, the second inserts events. More would wait for each other, because
 * they have the same communities.
 */
const MAX_TRANSACTIONS = 2;
/** Bounds how long a transaction holds the locks of its communities. */
const MAX_JOBS_PER_TRANSACTION = 10;

type Events = readonly IngestedEvent[];

/**
 * Stores the events of jobs and of the earlier table, with metrics. Jobs that run at the same time share a transaction: each
 * community is locked once for all of them, and each of its counters and sketches is written once.
 */
@Injectable()
export class EventIngestService {
  private readonly retentionMs: number;
  private readonly batchers = Array.from({ length: MAX_TRANSACTIONS }, () =>
    createBatcher((jobs: readonly Events[]) => this.storeJobs(jobs), {
      maxBatchSize: MAX_JOBS_PER_TRANSACTION,
    }),
  );
  private jobs = 0;

  constructor(
    private readonly database: Database,
    { ANALYTICS_RETENTION_DAYS }: AnalyticsConfig,
    private readonly metrics: IngestMetrics,
  ) {
    this.retentionMs = ANALYTICS_RETENTION_DAYS * DAY_MS;
  }

  /** A `community.deleted` event marks the community, also if it is old. */
  async ingest(events: Events): Promise<void> {
    const deletions = events.filter((event) => event.type === 'community.deleted');
    if (deletions.length > 0) await markDeleted(this.database, deletions);
    this.jobs += 1;
    await this.batchers[this.jobs % MAX_TRANSACTIONS]?.load(events);
    const erasures = events.filter((event) => event.type === 'user.erased');
    if (erasures.length > 0) await saveErasures(this.database, erasures);
    const heartbeats = events.filter((event) => event.type === 'producer.heartbeat');
    if (heartbeats.length > 0) await saveHeartbeats(this.database, heartbeats);
  }

  /** A job that fails, or that waits too long for its communities, fails alone. */
  private async storeJobs(jobs: readonly Events[]): Promise<(null | Error)[]> {
    const together = await this.store(jobs.flat());
    if (together === null || jobs.length === 1) return jobs.map(() => together);
    const results: (null | Error)[] = [];
    for (const job of jobs) results.push(await this.store(job));
    return results;
  }

  private async store(events: Events): Promise<null | Error> {
    try {
      await this.database.transaction((manager) => this.ingestIn(manager, events));
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error('Storing events failed', { cause: error });
    }
  }

  /**
   * Ignores events that are of no member, and the events of deleted communities.
   * @param countsExpired as of `ingestEvents`
   */
  async ingestIn(manager: EntityManager, events: Events, { countsExpired = false } = {}): Promise<void> {
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

/** Jobs that run at the same time share transactions. */
const CONCURRENCY = 16;

/** Stores community events. They arrive at least once and in any order. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(
    private readonly events: EventIngestService,
    @InjectProducer(communityEventsQueue) private readonly queue: Producer<typeof communityEventsQueue>,
  ) {
    super();
  }

  async handle({ events }: CommunityEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, async () => this.events.ingest(await this.capHeartbeats(events)));
  }

  /** Jobs before that of a heartbeat may be unfinished: another instance handles them, or they are retried. */
  private async capHeartbeats(events: readonly CommunityEvent[]): Promise<CommunityEvent[]> {
    const capped: CommunityEvent[] = [];
    for (const event of events) {
      const isHeartbeat = event.type === 'producer.heartbeat';
      const at = isHeartbeat ? await findHandledUntil(event.at, [this.queue]) : event.at;
      if (at !== undefined) capped.push({ ...event, at });
    }
    return capped;
  }
}
