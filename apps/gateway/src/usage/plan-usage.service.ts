import { Injectable } from '@nestjs/common';
import type { PlanUsageOutcome } from '@app/dto';
import { RateLimiter } from '@app/limits';
import { ClientPlanService } from '../credentials/client-plan.service.js';

/**
 * Counts requests towards the monthly limit of their tenant. The limit per second does not apply: background work can wait
 * and must not use up the seconds of interactive requests, and identity limits OAuth requests per second itself.
 */
@Injectable()
export class PlanUsageService {
  constructor(
    private readonly plans: ClientPlanService,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /** Counts requests. The outcomes are in the order of `clientIds`. */
  async countRequests(clientIds: readonly string[]): Promise<PlanUsageOutcome[]> {
    const plans = await this.plans.findPlans(clientIds);
    return Promise.all(
      clientIds.map(async (clientId) => {
        const plan = plans.get(clientId);
        if (!plan) return 'unknown_client';
        const { admitted } = await this.rateLimiter.takeMonthly(plan.ownerId, plan.limits.perMonth);
        return admitted ? 'counted' : 'month_used_up';
      }),
    );
  }
}
