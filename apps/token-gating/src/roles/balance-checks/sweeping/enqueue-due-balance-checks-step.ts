import { Database } from '@app/database';
import { QueueBackendMonitor, balanceChecksQueue, InjectProducer, type Producer } from '@app/queues';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SweepConfig, MAX_SWEEP_ROWS } from '../../../database/sweep.config.js';

/** A row comes due when nothing was heard of it for a while, and again only when its new job had its time. */
const DUE = `
  UPDATE token_gating.balance_checks SET next_run_at = clock_timestamp() + $1 * interval '1 ms'
  WHERE id IN (
    SELECT id FROM token_gating.balance_checks WHERE state = 'running' AND next_run_at <= now()
    ORDER BY next_run_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, turn`;

const turns = z.array(z.object({ id: z.uuid(), turn: z.int() }));

/** Finds checks whose jobs got lost, and enqueues their turns again: a turn that is under way all the same is the same job. */
@Injectable()
export class EnqueueDueBalanceChecksStep implements SweepTask {
  readonly name = 'enqueue due balance checks';

  constructor(
    private readonly sweeping: SweepConfig,
    private readonly database: Database,
    private readonly watch: QueueBackendMonitor,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.watch.isAvailable) return false;
    const { SWEEP_AFTER_MS } = this.sweeping;
    const rows = turns.parse(await this.database.query(DUE, [SWEEP_AFTER_MS, MAX_SWEEP_ROWS]));
    const jobs = rows.map(({ id, turn }) => ({ version: 1 as const, checkId: id, turn }));
    await this.producer.enqueueMany(jobs, { replaceExisting: true });
    return rows.length === MAX_SWEEP_ROWS;
  }
}
