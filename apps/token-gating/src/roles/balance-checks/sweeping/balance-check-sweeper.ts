import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SweepConfig } from '../../../database/sweep.config.js';
import { DeleteOldBalanceChecksStep } from './delete-old-balance-checks-step.js';
import { EnqueueDueBalanceChecksStep } from './enqueue-due-balance-checks-step.js';
import { ScheduleDueCommunitiesStep } from './schedule-due-communities-step.js';

/** Begins checks of communities that are due, comes back for those that got lost, and deletes old ones. */
@Injectable()
export class BalanceCheckSweeper extends Sweeper {
  constructor(
    config: SweepConfig,
    context: ServiceContext,
    dueCommunities: ScheduleDueCommunitiesStep,
    dueChecks: EnqueueDueBalanceChecksStep,
    old: DeleteOldBalanceChecksStep,
  ) {
    super(context, [dueCommunities, dueChecks, old], config.SWEEP_INTERVAL_MS);
  }
}
