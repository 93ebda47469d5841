import type { PerMonthLimiter } from './per-month-limiter.js';
import { type TenantLimits, type RateLimitResult, RateLimiter } from './rate-limiter.js';
import type { PerSecondLimiter } from './per-second-limiter.js';
import type { WindowResult } from './sliding-window-log.js';

/** For one gateway: seconds in memory, months leased in blocks from PostgreSQL. */
export class PostgresRateLimiter extends RateLimiter {
  constructor(
    private readonly seconds: PerSecondLimiter,
    private readonly months: PerMonthLimiter,
  ) {
    super();
  }

  take(holderId: string, { perSecond, perMonth }: TenantLimits): RateLimitResult | Promise<RateLimitResult> {
    const second = this.seconds.take(holderId, perSecond);
    if (!second.admitted) return { second, month: this.months.peek(holderId, perMonth) };
    const month = this.months.take(holderId, perMonth);
    return month instanceof Promise ? month.then((state) => ({ second, month: state })) : { second, month };
  }

  takeMonthly(holderId: string, perMonth: number): WindowResult | Promise<WindowResult> {
    return this.months.take(holderId, perMonth);
  }

  getMonthlyUsage(holderId: string): Promise<number> {
    return this.months.getUsage(holderId);
  }

  close(): Promise<void> {
    return this.months.close();
  }
}
