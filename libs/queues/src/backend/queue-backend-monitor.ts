import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { QueueUnavailableError } from './queue-unavailable.error.js';
import type { QueueBackend } from './queue-backend.js';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

const PROBE_INTERVAL_MS = 1_000;
const PROBE_RETRY_MS = 250;

/** Looks at the backend all the time, so that whoever wants to enqueue knows at once that it is away. */
export class QueueBackendMonitor {
  /** Resolves when the backend could be used for the first time. */
  readonly whenFirstAvailable: Promise<void>;
  private readonly stop = new AbortController();
  private readonly loop: Promise<void>;
  private announceUsable: () => void = () => undefined;
  private failure: unknown = new Error('not connected yet');

  constructor(
    private readonly backend: QueueBackend,
    private readonly logger: Logger,
  ) {
    this.whenFirstAvailable = new Promise((resolve) => (this.announceUsable = resolve));
    this.loop = this.watch();
  }

  /** As it was found a moment ago. */
  get isAvailable(): boolean {
    return this.failure === undefined;
  }

  /** @throws QueueUnavailable when the backend could not be used a moment ago */
  checkAvailable(): void {
    if (this.failure !== undefined) throw new QueueUnavailableError(this.failure);
  }

  /** For readiness: asks the backend itself. Rejects with the reason why it cannot be used. */
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

  private async watch(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.probe().catch(() => undefined); // it has reported it
      const pause = this.failure === undefined ? PROBE_INTERVAL_MS : PROBE_RETRY_MS;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private report(failure: unknown): void {
    const { kind } = this.backend;
    if (failure === undefined) {
      if (this.failure !== undefined) this.logger.info({ kind }, 'queue backend is usable');
      this.announceUsable();
    } else if (formatReason(failure) !== formatReason(this.failure)) {
      this.logger.warn({ kind, reason: formatReason(failure) }, 'queue backend is not usable');
    }
    this.failure = failure;
  }
}

const formatReason = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);

/** Stops looking at the backend when the app has nothing left to enqueue. */
@Injectable()
export class QueueShutdownService implements OnApplicationShutdown {
  constructor(private readonly watch: QueueBackendMonitor) {}

  onApplicationShutdown(): Promise<void> {
    return this.watch.close();
  }
}
