import { Injectable } from '@nestjs/common';
import type { PlanUsageOutcome, PlanReport } from '@app/dto';
import { RateLimiter, RefusalStore } from '@app/limits';
import { ClientPlanService } from '../credentials/client-plan.service.js';
import { serviceUnavailable } from '@app/common';

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

/** Reads the rate limit counters of a tenant. */
@Injectable()
export class PlanReportService {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {}

  /** @throws AppError 503 when the counter store is unavailable */
  async getReport(tenantId: string): Promise<PlanReport> {
    try {
      const [usedThisMonth, refusals] = await Promise.all([
        this.rateLimiter.getMonthlyUsage(tenantId),
        this.refusals.listRecent(tenantId),
      ]);
      return { usedThisMonth, refusals };
    } catch (cause) {
      throw serviceUnavailable('usage_unavailable', 'The usage cannot be loaded right now.', {}, { cause });
    }
  }
}
