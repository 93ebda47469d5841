import { QUEUES_CONTEXT, type QueuesContext } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { OutboxRepository, type OutboxBacklog } from './outbox.repository.js';

/** What waits in the outbox, of all instances, and what this one sent. */
@Injectable()
export class OutboxMetrics {
  private readonly jobs: Counter<'queue'>;
  private measuring: Promise<OutboxBacklog | undefined> | undefined;

  constructor(
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
    private readonly rows: OutboxRepository,
  ) {
    const registers = [context.metrics.registry];
    const measure = () => this.measure();
    this.jobs = new Counter({
      name: 'outbox_jobs_sent_total',
      help: 'Jobs that this process put from the outbox onto a queue.',
      labelNames: ['queue'] as const,
      registers,
    });
    new Gauge({
      name: 'outbox_rows',
      help: 'Jobs in the outbox, up to 10,000 each: waiting, or set aside. Missing while the database does not answer.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        this.reset();
        const size = await measure();
        if (size) this.set({ state: 'waiting' }, size.waiting);
        if (size) this.set({ state: 'set_aside' }, size.setAside);
      },
    });
    new Gauge({
      name: 'outbox_oldest_seconds',
      help: 'Age of the oldest job in the outbox that waits for its queue; 0 when there is none.',
      registers,
      async collect() {
        this.set((await measure())?.oldestSeconds ?? NaN);
      },
    });
  }

  recordSent(queue: string, count: number): void {
    this.jobs.inc({ queue }, count);
  }

  /** Both gauges are asked for together. */
  private measure(): Promise<OutboxBacklog | undefined> {
    this.measuring ??= this.rows
      .loadBacklog()
      .catch((error: unknown) => {
        this.context.logger.debug({ err: error }, 'the outbox cannot be measured');
        return undefined;
      })
      .finally(() => {
        this.measuring = undefined;
      });
    return this.measuring;
  }
}
