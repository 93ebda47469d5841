import { QUEUES_CONTEXT, type QueuesContext } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { type OutboxBacklog, OutboxQueries } from './outbox.queries.js';

/** The size of the outbox, which all instances share, and the jobs that this instance has sent. */
@Injectable()
export class OutboxMetrics {
  private readonly sentJobs: Counter<'queue'>;
  private pendingBacklog: Promise<OutboxBacklog | undefined> | undefined;

  constructor(
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
    private readonly rows: OutboxQueries,
  ) {
    const registers = [context.metrics.registry];
    const loadBacklog = () => this.loadBacklog();
    this.sentJobs = new Counter({
      name: 'outbox_jobs_sent_total',
      help: 'Jobs that this process has sent from the outbox to a queue.',
      labelNames: ['queue'] as const,
      registers,
    });
    new Gauge({
      name: 'outbox_rows',
      help: 'Jobs in the outbox by state (waiting or set_aside), counted up to 10,000 each. Absent while the database is unavailable.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        this.reset();
        const backlog = await loadBacklog();
        if (backlog) this.set({ state: 'waiting' }, backlog.waiting);
        if (backlog) this.set({ state: 'set_aside' }, backlog.deadLetters);
      },
    });
    new Gauge({
      name: 'outbox_oldest_seconds',
      help: 'Age in seconds of the oldest waiting job in the outbox; 0 when none is waiting.',
      registers,
      async collect() {
        this.set((await loadBacklog())?.oldestSeconds ?? NaN);
      },
    });
  }

  recordSent(queue: string, count: number): void {
    this.sentJobs.inc({ queue }, count);
  }

  /** Loads the backlog; both gauges of one scrape share one query. */
  private loadBacklog(): Promise<OutboxBacklog | undefined> {
    this.pendingBacklog ??= this.rows
      .loadBacklog()
      .catch((error: unknown) => {
        this.context.logger.debug({ err: error }, 'could not load the outbox backlog');
        return undefined;
      })
      .finally(() => {
        this.pendingBacklog = undefined;
      });
    return this.pendingBacklog;
  }
}
