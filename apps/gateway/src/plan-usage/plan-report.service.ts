import { serviceUnavailable } from '@app/common';
import type { PlanReport } from '@app/dto';
import { Refusals, RequestLimits } from '@app/shared-state';
import { Injectable } from '@nestjs/common';

/** What the counters say about a plan holder. */
@Injectable()
export class PlanReportService {
  constructor(
    private readonly limits: RequestLimits,
    private readonly refusals: Refusals,
  ) {}

  /** @throws AppError 503 when the store of the counters cannot be asked */
  async of(ownerId: string): Promise<PlanReport> {
    try {
      const [usedThisMonth, refusals] = await Promise.all([
        this.limits.usedThisMonth(ownerId),
        this.refusals.recent(ownerId),
      ]);
      return { usedThisMonth, refusals };
    } catch (cause) {
      throw serviceUnavailable('counters_unavailable', 'The counters cannot be asked.', {}, { cause });
    }
  }
}
