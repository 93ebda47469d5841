import { setTimeout as sleep } from 'node:timers/promises';
import { formatErrorReason } from '@app/common';
import { Injectable, type OnApplicationShutdown, Inject } from '@nestjs/common';
import type { Logger } from 'pino';
import { type QueueBackend, QueueUnavailableError, WriteRefusedError } from './queue-backend.js';
import { QUEUES_CONTEXT, type QueuesContext } from '../queue.config.js';

const PROBE_INTERVAL_MS = 1_000;
const PROBE_RETRY_MS = 250;

/** Probes the backend all the time, so that enqueueing fails at once while it is unavailable. */
export class QueueBackendMonitor {
  /** Resolves after the first successful probe. */
  readonly whenFirstAvailable: Promise<void>;
  private readonly stop = new AbortController();
  private readonly loop: Promise<void>;
  private resolveFirstAvailable: () => void = () => undefined;
  private failure: unknown = new Error('not connected yet');

  constructor(
    private readonly backend: QueueBackend,
    private readonly logger: Logger,
  ) {
    this.whenFirstAvailable = new Promise((resolve) => (this.resolveFirstAvailable = resolve));
    this.loop = this.runLoop();
  }

  /** The result of the last probe. */
  get isAvailable(): boolean {
    return this.failure === undefined;
  }

  /** @throws QueueUnavailableError when the last probe failed */
  checkAvailable(): void {
    if (this.failure !== undefined) throw new QueueUnavailableError(this.failure);
  }

  /** @throws WriteRefusedError when the backend answered the last probe and refused to write */
  checkTakesWrites(): void {
    if (this.failure instanceof WriteRefusedError) throw this.failure;
  }

  /** Probes the backend now, for readiness. Rejects when it cannot be used. */
  async probe(): Promise<void> {
    try {
      await this.backend.probe();
      this.report(undefined);
    } catch (error) {
      this.report(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.loop;
    await this.backend.close();
  }

  private async runLoop(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.probe().catch(() => undefined); // logged by `report`
      const pause = this.failure === undefined ? PROBE_INTERVAL_MS : PROBE_RETRY_MS;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private report(failure: unknown): void {
    const { kind } = this.backend;
    if (failure === undefined) {
      if (this.failure !== undefined) this.logger.info({ kind }, 'queue backend available');
      this.resolveFirstAvailable();
    } else if (formatErrorReason(failure) !== formatErrorReason(this.failure)) {
      this.logger.warn({ kind, reason: formatErrorReason(failure) }, 'queue backend unavailable');
    }
    this.failure = failure;
  }
}

/** Closes the monitor last, when requests and jobs have ended. */
@Injectable()
export class QueueShutdownService implements OnApplicationShutdown {
  constructor(private readonly monitor: QueueBackendMonitor) {}

  onApplicationShutdown(): Promise<void> {
    return this.monitor.close();
  }
}

/**
 * Makes an app ready only after its queue backend was available once. Afterwards the app stays ready without it, because
 * requests are stored as rows first, but not while the backend answers and refuses writes: that lasts until a connection reaches another
 * server, which it may do at another instance already. An app that only writes to an outbox does not need this provider.
 */
@Injectable()
export class QueueReadinessCheck {
  constructor(monitor: QueueBackendMonitor, @Inject(QUEUES_CONTEXT) { readiness }: QueuesContext) {
    readiness.addStartupCheck('queue', () => monitor.probe());
    readiness.addCheck('queue_writes', () => {
      monitor.checkTakesWrites();
    });
  }
}
