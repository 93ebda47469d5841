import { tooManyRequests } from '@app/common';
import { PLAN_LIMITS } from '@app/dto';
import { RateLimit } from '@app/limits';
import { Injectable } from '@nestjs/common';
import { PlanUsageClient } from '../clients/plan-usage-client.js';

/**
 * Counts what users do in the portal on their tenants, as check-roles through a client application counts. While the gateway is away each
 * instance admits the free plan's requests per second of each user, and the month does not count.
 */
@Injectable()
export class PortalUsageService {
  private readonly local = new RateLimit();

  constructor(private readonly usage: PlanUsageClient) {}

  /** @param count how much of the month it counts as. @throws AppError 429 with Retry-After */
  async count(userId: string, count = 1): Promise<void> {
    const counted = (await this.usage.countUserRequest({ userId, count })) ?? this.countLocally(userId);
    switch (counted.outcome) {
      case 'counted':
        return;
      case 'second_used_up':
        throw tooManyRequests(
          'second_limit_exceeded',
          `Your plan allows ${counted.limit} requests per second: try again in a moment.`,
          { retryAfter: counted.retryAfter },
        );
      case 'month_used_up':
        throw tooManyRequests(
          'month_limit_exceeded',
          `Your plan allows ${counted.limit} requests per month, and they are used up.`,
          { retryAfter: counted.retryAfter },
        );
    }
  }

  private countLocally(userId: string) {
    const { perSecond: limit } = PLAN_LIMITS.free;
    return this.local.take(userId, limit).admitted
      ? ({ outcome: 'counted' } as const)
      : ({ outcome: 'second_used_up', limit, retryAfter: 1 } as const);
  }
}
