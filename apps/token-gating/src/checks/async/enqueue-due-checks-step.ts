import { Database } from '@app/database';
import { QueueBackendMonitor, checkRolesQueue, InjectProducer, type Producer } from '@app/queues';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AsyncCheckConfig, MAX_SWEEP_ROWS } from './async-check.config.js';

/** A row comes due for one sweeper, and again only when its new job had its time. */
const DUE_CHECKS = `
  UPDATE token_gating.checks SET next_run_at = now() + $1 * interval '1 ms'
  WHERE id IN (
    SELECT id FROM token_gating.checks WHERE result IS NULL AND next_run_at <= now()
    ORDER BY next_run_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

const ids = z.array(z.object({ id: z.string() }));

/** Finds checks whose jobs got lost, and enqueues them again. */
@Injectable()
export class EnqueueDueChecksStep implements SweepTask {
  readonly name = 'enqueue due checks';

  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly database: Database,
    private readonly watch: QueueBackendMonitor,
    @InjectProducer(checkRolesQueue) private readonly checks: Producer<typeof checkRolesQueue>,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.watch.isAvailable) return false; // they stay due until their jobs have somewhere to go
    const { SWEEP_AFTER_MS } = this.config;
    const rows = ids.parse(await this.database.query(DUE_CHECKS, [SWEEP_AFTER_MS, MAX_SWEEP_ROWS]));
    const jobs = rows.map(({ id }) => ({ version: 1 as const, requestId: id }));
    await this.checks.enqueueMany(jobs, { revive: true });
    return rows.length === MAX_SWEEP_ROWS;
  }
}
