import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { AsyncCheckConfig } from './async-check.config.js';
import { DeleteExpiredChecksStep } from './delete-expired-checks-step.js';
import { EnqueueDueChecksStep } from './enqueue-due-checks-step.js';
import { PublishLateRepliesStep } from './publish-late-replies-step.js';

/** Comes back for checks that got lost, were not replied to, or have expired. */
@Injectable()
export class CheckSweeper extends Sweeper {
  constructor(
    config: AsyncCheckConfig,
    context: ServiceContext,
    dueChecks: EnqueueDueChecksStep,
    lateReplies: PublishLateRepliesStep,
    expired: DeleteExpiredChecksStep,
  ) {
    super(context, [dueChecks, lateReplies, expired], config.SWEEP_INTERVAL_MS);
  }
}
