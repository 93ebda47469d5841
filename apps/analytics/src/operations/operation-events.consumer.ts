import { Database } from '@app/database';
import {
  Consumer,
  Consumes,
  handleTogether,
  operationEventsQueue,
  type OperationEventsJob,
  retryWhileUnavailable,
} from '@app/queues';
import { ServiceContext, Sweeper } from '@app/service';
import type { Job } from 'bullmq';
import { Counter } from 'prom-client';
import { countOperationEvents, deleteExpiredOperationCounts } from './operation-counts.queries.js';
import { MINUTE_MS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { AnalyticsConfig } from '../ingest/analytics.config.js';

/** Each job of up to 500 events is one statement. */
const CONCURRENCY = 2;

/** Counts the changes of operations. They arrive at least once and in any order. */
@Consumes(operationEventsQueue, { concurrency: CONCURRENCY })
export class OperationEventsConsumer extends Consumer<OperationEventsJob> {
  private readonly events: Counter<'outcome'>;

  constructor(
    private readonly database: Database,
    { metrics }: ServiceContext,
  ) {
    super();
    this.events = new Counter({
      name: 'analytics_operation_events_total',
      help: 'Events of operations by outcome: counted, repeated, or dropped because of their time.',
      labelNames: ['outcome'] as const,
      registers: [metrics.registry],
    });
  }

  async handle({ events }: OperationEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => handleTogether(events, (some) => this.count(some)));
  }

  private async count(events: Readonly<OperationEventsJob['events']>): Promise<void> {
    const { counted, dropped } = await countOperationEvents(this.database, events);
    this.events.inc({ outcome: 'counted' }, counted);
    this.events.inc({ outcome: 'dropped' }, dropped);
    this.events.inc({ outcome: 'repeated' }, events.length - counted - dropped);
  }
}

const SWEEP_INTERVAL_MS = MINUTE_MS;
const MAX_ROWS = 5_000;

/** Deletes the counts of operations after the retention time, and the ids of counted events. */
@Injectable()
export class OperationCountsSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    database: Database,
    { ANALYTICS_RETENTION_DAYS: retentionDays }: AnalyticsConfig,
  ) {
    const sweep = () => deleteExpiredOperationCounts(database, { limit: MAX_ROWS, retentionDays });
    super(context, [{ name: 'delete expired counts of operations', sweep }], SWEEP_INTERVAL_MS);
  }
}
