import type { WakeUpSignal } from '@app/common';
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

/** Works on the due rows of a table: at once when signalled in this process, otherwise at the next poll. */
export abstract class RowQueueWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected stopped = false;
  private hasFailed = false;
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
    this.hasFailed = false;
  };

  /** Logs only the first of consecutive failures: the rows stay due, and every poll would repeat the message. */
  protected readonly logFailure = (error: unknown): void => {
    const { logger, failureMessage } = this.workerOptions;
    if (!this.hasFailed) logger.warn({ err: error }, failureMessage);
    this.hasFailed = true;
  };

  private async runLoop(): Promise<void> {
    const { signal, pollMs } = this.workerOptions;
    while (!this.stopped) {
      await this.work().catch(this.logFailure);
      await signal.wait(pollMs);
    }
  }
}
