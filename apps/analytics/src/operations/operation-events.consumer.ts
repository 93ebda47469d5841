import { Database } from '@app/database';
import {
  Consumer,
  Consumes,
  handleTogether,
  operationEventsQueue,
  type OperationEventsJob,
  retryWhileUnavailable,
} from '@app/queues';
import { ServiceContext } from '@app/service';
import type { Job } from 'bullmq';
import { Counter } from 'prom-client';
import { countOperationEvents } from './operation-counts.queries.js';

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
