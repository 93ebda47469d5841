import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { AsyncCheckConfig } from '../async-check.config.js';
import { DeleteExpired } from './delete-expired.js';
import { EnqueueDueChecks } from './enqueue-due-checks.js';
import { ReplyLate } from './reply-late.js';

/** Comes back for checks that got lost, were not replied to, or have expired. */
@Injectable()
export class CheckSweeper extends Sweeper {
  constructor(
    config: AsyncCheckConfig,
    context: ServiceContext,
    dueChecks: EnqueueDueChecks,
    lateReplies: ReplyLate,
    expired: DeleteExpired,
  ) {
    super(context, [dueChecks, lateReplies, expired], config.SWEEP_INTERVAL_MS);
  }
}
