import { Injectable } from '@nestjs/common';
import type { PlanUsageOutcome } from '@app/dto';
import { RequestLimits } from '@app/shared-state';
import { ClientPlans } from '../credentials/client-plans.js';

/**
 * Counts requests that came by another door in their plan holders' months. The sliding second is left alone: a queue is
 * patient, and work in the background shall not take the seconds of those who wait.
 */
@Injectable()
export class PlanUsageService {
  constructor(
    private readonly plans: ClientPlans,
    private readonly limits: RequestLimits,
  ) {}

  /** One outcome per request, in order. */
  async count(clientIds: readonly string[]): Promise<PlanUsageOutcome[]> {
    const plans = await this.plans.find(clientIds);
    return Promise.all(
      clientIds.map(async (clientId) => {
        const plan = plans.get(clientId);
        if (!plan) return 'unknown_client';
        const { admitted } = await this.limits.takeMonth(plan.ownerId, plan.limits.perMonth);
        return admitted ? 'counted' : 'month_used_up';
      }),
    );
  }
}
