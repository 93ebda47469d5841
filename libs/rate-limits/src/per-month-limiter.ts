import { LRUCache } from 'lru-cache';
import { type CalendarMonth, toCalendarMonth } from './calendar-month.js';
import { MonthlyQuota, type MonthlyQuotaEvents } from './monthly-quota.js';
import type { MonthUsageQueries } from './month-usage.queries.js';
import { UsageAdjustmentBatcher } from './usage-adjustment-batcher.js';
import type { WindowResult } from './sliding-window-log.js';

const MAX_TENANTS = 50_000;

/** Every plan holder's current month at this gateway. */
export class PerMonthLimiter {
  private readonly quotas = new LRUCache<string, MonthlyQuota>({
    max: MAX_TENANTS,
    dispose: (quota) => {
      this.settlements.add(quota);
    },
  });
  private readonly settlements: UsageAdjustmentBatcher;

  constructor(
    private readonly ledger: MonthUsageQueries,
    private readonly events: MonthlyQuotaEvents,
    private readonly now: () => number = Date.now,
  ) {
    this.settlements = new UsageAdjustmentBatcher(ledger, events.onStoreFailure);
  }

  /** Counts one request of the holder. A promise only when PostgreSQL has to be asked. */
  take(holderId: string, limit: number): WindowResult | Promise<WindowResult> {
    const month = toCalendarMonth(this.now());
    const quota = this.quotaOf(holderId, month.name, limit);
    const admitted = quota.take();
    if (typeof admitted === 'boolean') return toWindowResult(quota, month, admitted);
    return admitted.then((outcome) => toWindowResult(quota, month, outcome));
  }

  /** The month as it stands, without counting anything. */
  peek(holderId: string, limit: number): WindowResult {
    const month = toCalendarMonth(this.now());
    const quota = this.quotaOf(holderId, month.name, limit);
    return toWindowResult(quota, month, quota.remaining > 0);
  }

  /** What is used of the current month, by all gateways together. Rejects when the ledger cannot be asked. */
  async getUsage(holderId: string): Promise<number> {
    const month = toCalendarMonth(this.now()).name;
    const booked = await this.ledger.getUsage(holderId, month);
    return Math.max(0, booked + (this.quotas.peek(`${month} ${holderId}`)?.netUnsynced ?? 0));
  }

  /** Gives back what was leased and not used. */
  async close(): Promise<void> {
    this.quotas.clear();
    await this.settlements.close();
  }

  private quotaOf(holderId: string, month: string, limit: number): MonthlyQuota {
    const key = `${month} ${holderId}`;
    const known = this.quotas.get(key);
    if (known) {
      known.limit = limit;
      return known;
    }
    const fresh = new MonthlyQuota(this.ledger, holderId, month, limit, this.events, this.now);
    this.quotas.set(key, fresh);
    return fresh;
  }
}

const toWindowResult = (quota: MonthlyQuota, month: CalendarMonth, admitted: boolean): WindowResult => ({
  admitted,
  limit: quota.limit,
  remaining: quota.remaining,
  resetMs: month.endMs,
});
