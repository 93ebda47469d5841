import type { RequestLimits } from '@app/dto';
import type { PerMonthLimiter } from './per-month-limiter.js';
import type { RateLimit } from '../rate-limit.js';
import { type RateLimitResult, RateLimiter } from './rate-limiter.js';
import type { WindowResult } from '../rate-limit.js';

/** Limits requests at a single gateway: counts seconds in memory, and months in blocks leased from PostgreSQL. */
export class PostgresRateLimiter extends RateLimiter {
  constructor(
    private readonly seconds: RateLimit,
    private readonly months: PerMonthLimiter,
  ) {
    super();
  }

  take(tenantId: string, { perSecond, perMonth }: RequestLimits): RateLimitResult | Promise<RateLimitResult> {
    const second = this.seconds.take(tenantId, perSecond);
    if (!second.admitted) return { second, month: this.months.peek(tenantId, perMonth) };
    const month = this.months.take(tenantId, perMonth);
    return month instanceof Promise ? month.then((result) => ({ second, month: result })) : { second, month };
  }

  takeMonthly(tenantId: string, perMonth: number): WindowResult | Promise<WindowResult> {
    return this.months.take(tenantId, perMonth);
  }

  getMonthlyUsage(tenantId: string): Promise<number> {
    return this.months.getUsage(tenantId);
  }

  close(): Promise<void> {
    return this.months.close();
  }
}
