import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SweepConfig } from '../../../database/sweep.config.js';
import { DeleteOldBalanceChecksStep } from './delete-old-balance-checks-step.js';
import { EnqueueDueBalanceChecksStep } from './enqueue-due-balance-checks-step.js';
import { ScheduleDueCommunitiesStep } from './schedule-due-communities-step.js';

/** Starts checks of due communities, enqueues turns whose jobs are lost, and deletes old checks. */
@Injectable()
export class BalanceCheckSweeper extends Sweeper {
  constructor(
    config: SweepConfig,
    context: ServiceContext,
    dueCommunities: ScheduleDueCommunitiesStep,
    dueChecks: EnqueueDueBalanceChecksStep,
    oldChecks: DeleteOldBalanceChecksStep,
  ) {
    super(context, [dueCommunities, dueChecks, oldChecks], config.SWEEP_INTERVAL_MS);
  }
}
