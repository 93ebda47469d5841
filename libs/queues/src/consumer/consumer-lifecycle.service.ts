import { setTimeout as sleep } from 'node:timers/promises';
import { BullRegistrar } from '@nestjs/bullmq';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { QueueBackendMonitor } from '../backend/queue-backend-monitor.js';
import { QueueMetrics } from '../queue-metrics.js';
import { QUEUES_CONTEXT, type QueuesContext } from '../queues-context.js';
import { Consumer } from './consumer.js';
import { getConsumedQueue } from './consumes.decorator.js';

/** @throws Error when two consumers of one process share a queue, or one of them has none */
export function checkConsumers(consumers: Consumer<unknown>[]): void {
  const byQueue = new Map<string, string>();
  for (const consumer of consumers) {
    const { name } = getConsumedQueue(consumer);
    const other = byQueue.get(name);
    if (other !== undefined)
      throw new Error(`The queue ${name} has two consumers: ${other} and ${consumer.constructor.name}`);
    byQueue.set(name, consumer.constructor.name);
  }
}

/** How long the backend gets to take note of finished jobs at the end. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Starts the app's workers when the backend can be trusted, and ends them before anything that their jobs use. */
@Injectable()
export class ConsumerLifecycleService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private consumers: Consumer<unknown>[] = [];
  private closing: Promise<void> | undefined;
  private isRunning = false;

  constructor(
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
    private readonly discovery: DiscoveryService,
    private readonly registrar: BullRegistrar,
    private readonly watch: QueueBackendMonitor,
    private readonly metrics: QueueMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.consumers = this.discovery
      .getProviders()
      .map(({ instance }) => instance as unknown)
      .filter((instance) => instance instanceof Consumer);
    checkConsumers(this.consumers);
    this.context.readiness.onDrain(() => {
      void this.close();
    });
    void this.watch.whenFirstAvailable.then(() => {
      this.start();
    });
  }

  /** Resolves when the jobs under way are done; no new one is taken from now on. */
  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private start(): void {
    if (this.closing || this.consumers.length === 0) return;
    this.registrar.register();
    this.isRunning = true;
    for (const { worker } of this.consumers) {
      this.metrics.trackWorker(worker);
      worker.on('error', (error) => {
        this.context.logger.warn({ queue: worker.name, reason: error.message }, 'worker trouble');
      });
      worker.on('failed', (job, { message: reason }) => {
        // Of an attempt that failed only for now the job knows no end.
        if (job?.finishedOn === undefined) return;
        this.context.logger.warn({ queue: worker.name, jobId: job.id, reason }, 'a job failed for good');
      });
    }
  }

  private close(): Promise<void> {
    this.closing ??= this.closeWorkers();
    return this.closing;
  }

  private async closeWorkers(): Promise<void> {
    if (!this.isRunning) return;
    const workers = this.consumers.map(({ worker }) => worker);
    const handled = Promise.all(this.consumers.map((consumer) => consumer.waitUntilIdle()));
    // A worker whose backend is gone may say that it has closed while a job of it is under way.
    const closed = Promise.all([handled, ...workers.map((worker) => worker.close())]);
    const isClosed = await Promise.race([closed.then(() => true), this.farewell()]);
    if (isClosed) return;
    // The jobs are done and their backend does not hear of it: somebody else will do them again, fenced as they are. A
    // worker on PostgreSQL now and then never says that it has closed, and has nothing to do by then.
    const disconnected = Promise.all(workers.map((worker) => worker.disconnect())).then(() => closed);
    // Nest's module closes them once more, and would wait with it.
    for (const worker of workers) worker.close = () => Promise.resolve();
    await Promise.race([disconnected, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Resolves some time after the last handler has returned. */
  private async farewell(): Promise<false> {
    await Promise.all(this.consumers.map((consumer) => consumer.waitUntilIdle()));
    await sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
    return false;
  }
}
