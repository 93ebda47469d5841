import { tryTogether } from '@app/common';
import { Database } from '@app/database';
import {
  checkRolesQueue,
  checkRolesResultsQueue,
  InjectProducer,
  type Producer,
  QueueBackendMonitor,
} from '@app/queues';
import { ItemFailures, ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliverySignal } from '../../callbacks/delivery.repository.js';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { checkResult } from '../../rules/check-result.js';
import {
  claimDueChecks,
  deleteExpiredChecks,
  type FinishedCheck,
  listLateReplies,
  markReplied,
} from './checks.queries.js';

type Reply = Pick<FinishedCheck, 'id' | 'result'>;

/** Publishes results of finished checks as callbacks and queue replies. The sweeper retries replies that fail. */
@Injectable()
export class CheckResultPublisher {
  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
    private readonly deliverySignal: DeliverySignal,
    @InjectProducer(checkRolesResultsQueue) private readonly replies: Producer<typeof checkRolesResultsQueue>,
  ) {}

  async publish({ id, result, deliveryId, reply }: FinishedCheck): Promise<void> {
    if (deliveryId !== null) this.deliverySignal.notify();
    try {
      if (reply) await this.publishReplies([{ id, result }]);
    } catch (error) {
      this.context.logger.warn(
        { err: error, requestId: id },
        'check result not published to the results queue; the sweeper will retry',
      );
    }
  }

  /** @throws QueueUnavailableError without marking replies as sent; a retry reuses their job ids */
  async publishReplies(replies: readonly Reply[]): Promise<void> {
    await this.replies.enqueueMany(replies.map(({ id, result }) => ({ requestId: id, ...result })));
    await markReplied(
      this.database,
      replies.map(({ id }) => id),
    );
  }
}

/** Sweeps checks whose jobs or replies were lost, and expired checks. */
@Injectable()
export class CheckSweeper extends Sweeper {
  private readonly lateReplies: ItemFailures;

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
    this.lateReplies = new ItemFailures(context.logger, 'the reply of a check is published later', {
      idField: 'requestId',
    });
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
    const replies = await listLateReplies(this.database, {
      delayMs: this.config.SWEEP_AFTER_MS,
      limit: MAX_SWEEP_ROWS,
      except: this.lateReplies.listPaused(),
    });
    const failed = await tryTogether(replies, (some) =>
      this.publisher.publishReplies(
        some.map(({ id, result }) => ({ id, result: checkResult.parse(result) })),
      ),
    );
    for (const { item, error } of failed) this.lateReplies.record(item.id, error);
    return replies.length === MAX_SWEEP_ROWS;
  }

  private async deleteExpiredChecks(): Promise<boolean> {
    return (await deleteExpiredChecks(this.database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
  }
}
