import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

const SWEEP_INTERVAL_MS = 10_000;
const MAX_SWEPT_ROWS = 1_000;

/** Keeps rows for a minute after their expiry, because clocks differ. */
const SWEEP = `
  DELETE FROM identity.oauth_models WHERE (kind, id) IN (
    SELECT kind, id FROM identity.oauth_models WHERE expires_at < now() - interval '1 minute'
    ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
  )
  RETURNING 1`;

/** Deletes expired models in batches. */
@Injectable()
export class ExpiredModelSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.runLoop();
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loop;
  }

  /** @returns whether more expired rows may exist */
  async sweep(): Promise<boolean> {
    return (await this.database.query(SWEEP)).length === MAX_SWEPT_ROWS;
  }

  private async runLoop(): Promise<void> {
    const { signal } = this.stop;
    while (await waitForNextSweep(signal)) {
      try {
        while (!signal.aborted && (await this.sweep()));
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
