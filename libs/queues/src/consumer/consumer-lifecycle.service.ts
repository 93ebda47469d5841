import { hasFinishedWithin } from '@app/common';
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
import { QUEUES_CONTEXT, type QueuesContext } from '../queue.config.js';
import { Consumer, getConsumedQueue } from './consumer.js';

/** @throws Error when two consumers of one process share a queue, or a consumer lacks @Consumes */
function checkConsumers(consumers: Consumer<unknown>[]): void {
  const byQueue = new Map<string, string>();
  for (const consumer of consumers) {
    const { name } = getConsumedQueue(consumer);
    const other = byQueue.get(name);
    if (other !== undefined)
      throw new Error(`The queue ${name} has two consumers: ${other} and ${consumer.constructor.name}`);
    byQueue.set(name, consumer.constructor.name);
  }
}

/** The time for the backend to store the outcome of the last jobs. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Starts the workers after the first successful probe, and closes them before the providers that their jobs use. */
@Injectable()
export class ConsumerLifecycleService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private consumers: Consumer<unknown>[] = [];
  private closing: Promise<void> | undefined;
  private isRunning = false;

  constructor(
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
    private readonly discovery: DiscoveryService,
    private readonly registrar: BullRegistrar,
    private readonly monitor: QueueBackendMonitor,
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
    void this.monitor.whenFirstAvailable.then(() => {
      this.start();
    });
  }

  /** Takes no more jobs, and resolves when the running ones are done. */
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
        this.context.logger.warn({ queue: worker.name, reason: error.message }, 'worker error');
      });
      worker.on('failed', (job, { message: reason }) => {
        // An attempt that will be retried leaves `finishedOn` unset.
        if (job?.finishedOn === undefined) return;
        this.context.logger.warn({ queue: worker.name, jobId: job.id, reason }, 'job failed permanently');
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
    const idle = Promise.all(this.consumers.map((consumer) => consumer.waitUntilIdle()));
    // `close` of a worker without its backend may resolve while a job is running.
    const closed = Promise.all([idle, ...workers.map((worker) => worker.close())]);
    const closedInTime = idle.then(() => hasFinishedWithin(CLOSE_TIMEOUT_MS, closed));
    if (await Promise.race([closed.then(() => true), closedInTime])) return;
    // The backend does not store the outcome, so that another worker repeats these idempotent jobs. On PostgreSQL `close`
    // sometimes never resolves although nothing is left to do.
    const disconnected = Promise.all(workers.map((worker) => worker.disconnect())).then(() => closed);
    // @nestjs/bullmq closes the workers again, and would never return.
    for (const worker of workers) worker.close = () => Promise.resolve();
    await hasFinishedWithin(CLOSE_TIMEOUT_MS, disconnected);
  }
}
