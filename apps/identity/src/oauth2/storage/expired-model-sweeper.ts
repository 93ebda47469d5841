import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { OAuthModelQueries } from './oauth-models.queries.js';

const SWEEP_INTERVAL_MS = 10_000;

/** Deletes expired models in batches. */
@Injectable()
export class ExpiredModelSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly models: OAuthModelQueries,
    private readonly context: ServiceContext,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.runLoop();
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loop;
  }

  private async runLoop(): Promise<void> {
    const { signal } = this.stop;
    while (await waitForNextSweep(signal)) {
      try {
        while (!signal.aborted && (await this.models.deleteExpired()));
      } catch (error) {
        this.context.logger.warn(
          { err: error },
          'Deleting expired tokens failed; retrying at the next sweep',
        );
      }
    }
  }
}

/** @returns false on abort */
const waitForNextSweep = (signal: AbortSignal): Promise<boolean> =>
  sleep(SWEEP_INTERVAL_MS, true, { signal, ref: false }).catch(() => false);
