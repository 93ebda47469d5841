import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { QueueUnavailable } from '../queue-unavailable.js';
import type { QueueBackend } from './queue-backend.js';

const INTERVAL_MS = 1_000;
const RETRY_MS = 250;

/** Looks at the backend all the time, so that whoever wants to enqueue knows at once that it is away. */
export class BackendWatch {
  /** Resolves when the backend could be used for the first time. */
  readonly usable: Promise<void>;
  private readonly stop = new AbortController();
  private readonly loop: Promise<void>;
  private announceUsable: () => void = () => undefined;
  private failure: unknown = new Error('not connected yet');

  constructor(
    private readonly backend: QueueBackend,
    private readonly logger: Logger,
  ) {
    this.usable = new Promise((resolve) => (this.announceUsable = resolve));
    this.loop = this.watch();
  }

  /** As it was found a moment ago. */
  get isUsable(): boolean {
    return this.failure === undefined;
  }

  /** @throws QueueUnavailable when the backend could not be used a moment ago */
  requireUsable(): void {
    if (this.failure !== undefined) throw new QueueUnavailable(this.failure);
  }

  /** For readiness: asks the backend itself. Rejects with the reason why it cannot be used. */
  async check(): Promise<void> {
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
      await this.check().catch(() => undefined); // it has reported it
      const pause = this.failure === undefined ? INTERVAL_MS : RETRY_MS;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private report(failure: unknown): void {
    const { kind } = this.backend;
    if (failure === undefined) {
      if (this.failure !== undefined) this.logger.info({ kind }, 'queue backend is usable');
      this.announceUsable();
    } else if (reasonOf(failure) !== reasonOf(this.failure)) {
      this.logger.warn({ kind, reason: reasonOf(failure) }, 'queue backend is not usable');
    }
    this.failure = failure;
  }
}

const reasonOf = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));
