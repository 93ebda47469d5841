import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SweepConfig } from '../../database/sweep.config.js';
import { DeleteExpiredChecksStep } from './delete-expired-checks-step.js';
import { EnqueueDueChecksStep } from './enqueue-due-checks-step.js';
import { PublishLateRepliesStep } from './publish-late-replies-step.js';

/** Sweeps checks whose jobs or replies were lost, and expired checks. */
@Injectable()
export class CheckSweeper extends Sweeper {
  constructor(
    config: SweepConfig,
    context: ServiceContext,
    dueChecks: EnqueueDueChecksStep,
    lateReplies: PublishLateRepliesStep,
    expired: DeleteExpiredChecksStep,
  ) {
    super(context, [dueChecks, lateReplies, expired], config.SWEEP_INTERVAL_MS);
  }
}
