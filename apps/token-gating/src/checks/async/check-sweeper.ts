import { Database } from '@app/database';
import { checkRolesQueue, InjectProducer, type Producer, QueueBackendMonitor } from '@app/queues';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { CheckResultPublisher } from './check-result-publisher.js';
import { claimDueChecks, deleteExpiredChecks, listLateReplies } from './checks.queries.js';

/** Sweeps checks whose jobs or replies were lost, and expired checks. */
@Injectable()
export class CheckSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly config: SweepConfig,
    private readonly database: Database,
    private readonly queueBackend: QueueBackendMonitor,
    private readonly publisher: CheckResultPublisher,
    @InjectProducer(checkRolesQueue) private readonly checks: Producer<typeof checkRolesQueue>,
  ) {
    const tasks = [
      { name: 'enqueue due checks', sweep: () => this.enqueueDueChecks() },
      { name: 'publish late replies', sweep: () => this.publishLateReplies() },
      { name: 'delete expired checks', sweep: () => this.deleteExpiredChecks() },
    ];
    super(context, tasks, config.SWEEP_INTERVAL_MS);
  }

  private async enqueueDueChecks(): Promise<boolean> {
    if (!this.queueBackend.isAvailable) return false; // claimed rows would be postponed without a job
    const ids = await claimDueChecks(this.database, this.config.SWEEP_AFTER_MS, MAX_SWEEP_ROWS);
    const jobs = ids.map((requestId) => ({ version: 1 as const, requestId }));
    await this.checks.enqueueMany(jobs, { replaceExisting: true });
    return ids.length === MAX_SWEEP_ROWS;
  }

  private async publishLateReplies(): Promise<boolean> {
    if (!this.queueBackend.isAvailable) return false;
    const replies = await listLateReplies(this.database, this.config.SWEEP_AFTER_MS, MAX_SWEEP_ROWS);
    if (replies.length > 0) await this.publisher.publishReplies(replies);
    return replies.length === MAX_SWEEP_ROWS;
  }

  private async deleteExpiredChecks(): Promise<boolean> {
    return (await deleteExpiredChecks(this.database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
  }
}
