import { formatErrorReason, type WakeUpSignal } from '@app/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';

export interface RowQueueWorkerOptions {
  /** Wakes the worker when this process has made a row due. */
  readonly signal: WakeUpSignal;
  /** Interval of polls for rows of other instances. */
  readonly pollMs: number;
  readonly logger: Logger;
  readonly failureMessage: string;
}

/** Block numbers, hashes, ids and times differ at every poll, and do not make another reason. */
const VARIABLE_PART = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\d{4,}/gi;

/** Works on the due rows of a table: at once when signalled in this process, otherwise at the next poll. */
export abstract class RowQueueWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected stopped = false;
  private lastReason: string | undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly workerOptions: RowQueueWorkerOptions) {}

  onApplicationBootstrap(): void {
    this.loop = this.runLoop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await this.loop;
  }

  protected abstract work(): Promise<void>;

  protected stop(): void {
    this.stopped = true;
    this.workerOptions.signal.notify();
  }

  protected readonly recordSuccess = (): void => {
    this.lastReason = undefined;
  };

  /**
   * Logs a failure unless its reason is that of the failure before it: the rows stay due, and every poll would repeat the message.
   * A second cause is logged although the first one, such as a node that was away at the start, hid it.
   */
  protected readonly logFailure = (error: unknown): void => {
    const { logger, failureMessage } = this.workerOptions;
    const reason = formatErrorReason(error).replaceAll(VARIABLE_PART, '#');
    if (this.lastReason !== reason) logger.warn({ err: error }, failureMessage);
    this.lastReason = reason;
  };

  private async runLoop(): Promise<void> {
    const { signal, pollMs } = this.workerOptions;
    while (!this.stopped) {
      await this.work().catch(this.logFailure);
      await signal.wait(pollMs);
    }
  }
}
