import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { type CalendarMonth, toCalendarMonth } from './calendar-month.js';
import type { MonthUsageQueries } from './month-usage.queries.js';
import { LEASE_TIMEOUT_MS, MonthlyQuota } from './monthly-quota.js';
import type { RateLimiterEvents } from './rate-limiter.js';
import type { WindowResult } from './sliding-window-log.js';
import { UsageAdjustmentBatcher } from './usage-adjustment-batcher.js';

const MAX_TENANTS = 50_000;

/** The monthly quota of each tenant at this gateway, leased from PostgreSQL. */
export class PerMonthLimiter {
  private readonly quotas = new LRUCache<string, MonthlyQuota>({
    ...boundEntries(MAX_TENANTS),
    dispose: (quota) => {
      this.adjustments.add(quota);
    },
  });
  private readonly adjustments: UsageAdjustmentBatcher;

  constructor(
    private readonly queries: MonthUsageQueries,
    private readonly events: RateLimiterEvents,
    private readonly now: () => number = Date.now,
    private readonly leaseTimeoutMs: number = LEASE_TIMEOUT_MS,
  ) {
    this.adjustments = new UsageAdjustmentBatcher(queries, events.onStoreFailure);
  }

  /** Counts one request. Returns a promise only when it has to query PostgreSQL. */
  take(tenantId: string, limit: number): WindowResult | Promise<WindowResult> {
    const month = toCalendarMonth(this.now());
    const quota = this.getQuota(tenantId, month.name, limit);
    const admitted = quota.take();
    if (typeof admitted === 'boolean') return toWindowResult(quota, month, admitted);
    return admitted.then((outcome) => toWindowResult(quota, month, outcome));
  }

  /** The state of the month, without counting a request. */
  peek(tenantId: string, limit: number): WindowResult {
    const month = toCalendarMonth(this.now());
    const quota = this.getQuota(tenantId, month.name, limit);
    return toWindowResult(quota, month, quota.remaining > 0);
  }

  /** Requests of the current month at all gateways. Rejects when PostgreSQL is unavailable. */
  async getUsage(tenantId: string): Promise<number> {
    const month = toCalendarMonth(this.now()).name;
    const stored = await this.queries.getUsage(tenantId, month);
    return Math.max(0, stored + (this.quotas.peek(`${month} ${tenantId}`)?.netUnsynced ?? 0));
  }

  /** Returns leased requests that were not used, and stores unsynced ones. */
  async close(): Promise<void> {
    this.quotas.clear();
    await this.adjustments.close();
  }

  private getQuota(tenantId: string, month: string, limit: number): MonthlyQuota {
    const key = `${month} ${tenantId}`;
    const cached = this.quotas.get(key);
    if (cached) {
      cached.limit = limit;
      return cached;
    }
    const { queries, events, now, leaseTimeoutMs } = this;
    const fresh = new MonthlyQuota(queries, tenantId, month, limit, events, now, leaseTimeoutMs);
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
