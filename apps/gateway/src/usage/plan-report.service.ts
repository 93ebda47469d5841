import { serviceUnavailable } from '@app/common';
import type { PlanReport } from '@app/dto';
import { RefusalStore, RateLimiter } from '@app/limits';
import { Injectable } from '@nestjs/common';

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
