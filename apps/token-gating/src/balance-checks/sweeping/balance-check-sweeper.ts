import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { AsyncCheckConfig } from '../../async-checks/async-check.config.js';
import { DeleteOldBalanceChecks } from './delete-old-balance-checks.js';
import { EnqueueDueBalanceChecks } from './enqueue-due-balance-checks.js';
import { ScheduleDueCommunities } from './schedule-due-communities.js';

/** Begins checks of communities that are due, comes back for those that got lost, and deletes old ones. */
@Injectable()
export class BalanceCheckSweeper extends Sweeper {
  constructor(
    config: AsyncCheckConfig,
    context: ServiceContext,
    dueCommunities: ScheduleDueCommunities,
    dueChecks: EnqueueDueBalanceChecks,
    old: DeleteOldBalanceChecks,
  ) {
    super(context, [dueCommunities, dueChecks, old], config.SWEEP_INTERVAL_MS);
  }
}
