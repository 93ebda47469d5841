import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

const PAUSE_MS = 10_000;
const MOST_ROWS = 1_000;

/** Kept a little longer than they live: clocks differ. */
const SWEEP = `
  DELETE FROM identity.oauth_models WHERE (kind, id) IN (
    SELECT kind, id FROM identity.oauth_models WHERE expires_at < now() - interval '1 minute'
    ORDER BY expires_at LIMIT ${MOST_ROWS} FOR UPDATE SKIP LOCKED
  )
  RETURNING 1`;

/** Deletes what has expired, by and by. */
@Injectable()
export class ExpiredModels implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = this.sweepOnAndOn();
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.sweeping;
  }

  /** @returns whether there may be more of them now */
  async sweep(): Promise<boolean> {
    return (await this.database.query(SWEEP)).length === MOST_ROWS;
  }

  private async sweepOnAndOn(): Promise<void> {
    const { signal } = this.stop;
    while (await slept(signal)) {
      try {
        while (!signal.aborted && (await this.sweep()));
      } catch (error) {
        this.context.logger.warn({ err: error }, 'could not delete expired tokens');
      }
    }
  }
}

/** False when it was woken to stop. */
const slept = (signal: AbortSignal): Promise<boolean> =>
  sleep(PAUSE_MS, true, { signal, ref: false }).catch(() => false);
