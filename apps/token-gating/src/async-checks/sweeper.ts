import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@app/database';
import { checkRolesQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { z } from 'zod';
import { Announcements } from './announcements.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { checkResult } from './async-check.js';

/** A row comes due for one sweeper, and again only when its new job had its time. */
const DUE_CHECKS = `
  UPDATE token_gating.checks SET next_run_at = now() + $1 * interval '1 ms'
  WHERE id IN (
    SELECT id FROM token_gating.checks WHERE result IS NULL AND next_run_at <= now()
    ORDER BY next_run_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

const DELETE_EXPIRED = `
  DELETE FROM token_gating.checks WHERE id IN (
    SELECT id FROM token_gating.checks WHERE expires_at <= now()
    LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

const UNREPLIED = `
  SELECT id, result FROM token_gating.checks
  WHERE reply AND replied_at IS NULL AND result IS NOT NULL AND done_at <= now() - $1 * interval '1 ms'
  ORDER BY done_at LIMIT $2`;

const MOST_ROWS = 1_000;
const lateReplies = z.array(z.object({ id: z.string(), result: checkResult }));
const ids = z.array(z.object({ id: z.string() }));

/** Finds what was promised and got lost between row and job, enqueues it again, and deletes what has expired. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stop = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly database: Database,
    private readonly context: ServiceContext,
    private readonly announcements: Announcements,
    @InjectProducer(checkRolesQueue) private readonly checks: Producer<typeof checkRolesQueue>,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.sweepOnAndOn();
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loop;
  }

  private async sweepOnAndOn(): Promise<void> {
    const { signal } = this.stop;
    while (await slept(this.config.SWEEP_INTERVAL_MS, signal)) {
      await this.sweep().catch((error: unknown) => {
        this.context.logger.warn({ err: error }, 'could not sweep');
      });
    }
  }

  private async sweep(): Promise<void> {
    await this.enqueueDueChecks();
    await this.replyLate();
    await this.database.query(DELETE_EXPIRED, [MOST_ROWS]);
  }

  private async enqueueDueChecks(): Promise<void> {
    const { SWEEP_AFTER_MS } = this.config;
    const rows = ids.parse(await this.database.query(DUE_CHECKS, [SWEEP_AFTER_MS, MOST_ROWS]));
    if (rows.length === 0) return;
    await this.checks.enqueueMany(
      rows.map(({ id }) => ({ version: 1 as const, requestId: id })),
      { revive: true },
    );
  }

  private async replyLate(): Promise<void> {
    const { SWEEP_AFTER_MS } = this.config;
    const rows = await this.database.query(UNREPLIED, [SWEEP_AFTER_MS, MOST_ROWS]);
    if (rows.length > 0) await this.announcements.reply(lateReplies.parse(rows));
  }
}

/** False when it was woken to stop. */
const slept = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(milliseconds, true, { signal }).catch(() => false);
