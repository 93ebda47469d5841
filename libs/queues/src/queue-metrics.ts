import { withTimeout } from '@app/common';
import { Inject, Injectable } from '@nestjs/common';
import type { Queue, Worker } from 'bullmq';
import { Counter, Gauge } from 'prom-client';
import { QueueBackendMonitor } from './backend/queue-backend-monitor.js';
import { QUEUES_CONTEXT, type QueuesContext } from './queue.config.js';

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** BullMQ's state of waiting jobs with a priority. */
const PRIORITIZED_STATE = 'prioritized';
const COUNT_TIMEOUT_MS = 1_000;

/** Counts the jobs in the queues at each scrape, and the jobs that this process has run. */
@Injectable()
export class QueueMetrics {
  private readonly queues = new Set<Queue>();
  private readonly processed: Counter<'queue' | 'outcome'>;
  private readonly stalled: Counter<'queue'>;

  constructor(@Inject(QUEUES_CONTEXT) { logger, metrics }: QueuesContext, monitor: QueueBackendMonitor) {
    const registers = [metrics.registry];
    new Gauge({
      name: 'queue_backend_usable',
      help: '1 while the queue backend is available, else 0.',
      registers,
      collect() {
        this.set(monitor.isAvailable ? 1 : 0);
      },
    });
    const { queues } = this;
    new Gauge({
      name: 'queue_jobs',
      help: 'Jobs in the queue by state. Absent while the backend does not answer.',
      labelNames: ['queue', 'state'] as const,
      registers,
      async collect() {
        this.reset();
        await Promise.all(
          [...queues].map(async (queue) => {
            try {
              const { [PRIORITIZED_STATE]: prioritized = 0, ...counts } = await withTimeout(
                COUNT_TIMEOUT_MS,
                queue.getJobCounts(...STATES, PRIORITIZED_STATE),
              );
              for (const [state, count] of Object.entries(counts))
                this.set({ queue: queue.name, state }, state === 'waiting' ? count + prioritized : count);
            } catch (error) {
              logger.debug({ err: error, queue: queue.name }, 'job counts unavailable');
            }
          }),
        );
      },
    });
    this.processed = new Counter({
      name: 'queue_jobs_processed_total',
      help: 'Job attempts of this process by outcome.',
      labelNames: ['queue', 'outcome'] as const,
      registers,
    });
    this.stalled = new Counter({
      name: 'queue_jobs_stalled_total',
      help: 'Stalled jobs (worker lost or lock expired) that this process detected.',
      labelNames: ['queue'] as const,
      registers,
    });
  }

  trackQueue(queue: Queue): void {
    this.queues.add(queue);
  }

  trackWorker(worker: Worker): void {
    const { name: queue } = worker;
    worker.on('completed', () => {
      this.processed.inc({ queue, outcome: 'completed' });
    });
    worker.on('failed', () => {
      this.processed.inc({ queue, outcome: 'failed' });
    });
    worker.on('stalled', () => {
      this.stalled.inc({ queue });
    });
  }
}
