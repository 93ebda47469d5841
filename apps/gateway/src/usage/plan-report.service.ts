import { serviceUnavailable } from '@app/common';
import type { PlanReport } from '@app/dto';
import { RefusalStore, RateLimiter } from '@app/rate-limits';
import { Injectable } from '@nestjs/common';

/** What the counters say about a plan holder. */
@Injectable()
export class PlanReportService {
  constructor(
    private readonly limits: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {}

  /** @throws AppError 503 when the store of the counters cannot be asked */
  async getReport(ownerId: string): Promise<PlanReport> {
    try {
      const [usedThisMonth, refusals] = await Promise.all([
        this.limits.getMonthlyUsage(ownerId),
        this.refusals.listRecent(ownerId),
      ]);
      return { usedThisMonth, refusals };
    } catch (cause) {
      throw serviceUnavailable('usage_unavailable', 'The counters cannot be asked.', {}, { cause });
    }
  }
}
