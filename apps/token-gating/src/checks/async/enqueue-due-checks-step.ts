import { Database } from '@app/database';
import { QueueBackendMonitor, checkRolesQueue, InjectProducer, type Producer } from '@app/queues';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';

/** Postpones each claimed row, so that no other sweeper claims it until the new job has had time to run. */
const DUE_CHECKS = `
  UPDATE token_gating.checks SET next_run_at = now() + $1 * interval '1 ms'
  WHERE id IN (
    SELECT id FROM token_gating.checks WHERE result IS NULL AND next_run_at <= now()
    ORDER BY next_run_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

const ids = z.array(z.object({ id: z.string() }));

/** Enqueues checks again whose jobs were lost. */
@Injectable()
export class EnqueueDueChecksStep implements SweepTask {
  readonly name = 'enqueue due checks';

  constructor(
    private readonly config: SweepConfig,
    private readonly database: Database,
    private readonly queueBackend: QueueBackendMonitor,
    @InjectProducer(checkRolesQueue) private readonly checks: Producer<typeof checkRolesQueue>,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.queueBackend.isAvailable) return false; // claimed rows would be postponed without a job
    const { SWEEP_AFTER_MS } = this.config;
    const rows = ids.parse(await this.database.query(DUE_CHECKS, [SWEEP_AFTER_MS, MAX_SWEEP_ROWS]));
    const jobs = rows.map(({ id }) => ({ version: 1 as const, requestId: id }));
    await this.checks.enqueueMany(jobs, { replaceExisting: true });
    return rows.length === MAX_SWEEP_ROWS;
  }
}
