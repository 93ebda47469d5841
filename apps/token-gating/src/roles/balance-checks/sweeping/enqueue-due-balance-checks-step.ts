import { Database } from '@app/database';
import { balanceChecksQueue, InjectProducer, type Producer, QueueBackendMonitor } from '@app/queues';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SweepConfig, MAX_SWEEP_ROWS } from '../../../database/sweep.config.js';
import { claimDueChecks } from '../balance-checks.queries.js';

/** Enqueues the turns of checks whose jobs are lost. The job id contains the turn, so a job that still exists is not doubled. */
@Injectable()
export class EnqueueDueBalanceChecksStep implements SweepTask {
  readonly name = 'enqueue due balance checks';

  constructor(
    private readonly sweepConfig: SweepConfig,
    private readonly database: Database,
    private readonly backend: QueueBackendMonitor,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {}

  async sweep(): Promise<boolean> {
    if (!this.backend.isAvailable) return false;
    const checks = await claimDueChecks(this.database, this.sweepConfig.SWEEP_AFTER_MS, MAX_SWEEP_ROWS);
    const jobs = checks.map(({ id, turn }) => ({ version: 1 as const, checkId: id, turn }));
    await this.producer.enqueueMany(jobs, { replaceExisting: true });
    return checks.length === MAX_SWEEP_ROWS;
  }
}
