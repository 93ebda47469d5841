import { Injectable } from '@nestjs/common';
import type { PlanUsageOutcome } from '@app/dto';
import { RateLimiter } from '@app/rate-limits';
import { ClientPlanService } from '../credentials/client-plan.service.js';

/**
 * Counts requests that came by another door in their plan holders' months. The sliding second is left alone: a queue is
 * patient, and work in the background shall not take the seconds of those who wait.
 */
@Injectable()
export class PlanUsageService {
  constructor(
    private readonly plans: ClientPlanService,
    private readonly limits: RateLimiter,
  ) {}

  /** One outcome per request, in order. */
  async countRequests(clientIds: readonly string[]): Promise<PlanUsageOutcome[]> {
    const plans = await this.plans.findPlans(clientIds);
    return Promise.all(
      clientIds.map(async (clientId) => {
        const plan = plans.get(clientId);
        if (!plan) return 'unknown_client';
        const { admitted } = await this.limits.takeMonthly(plan.ownerId, plan.limits.perMonth);
        return admitted ? 'counted' : 'month_used_up';
      }),
    );
  }
}
