import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CalendarMonth, toCalendarMonth } from './calendar-month.js';
import type { MonthUsageQueries } from './month-usage.queries.js';
import { LEASE_TIMEOUT_MS, MonthlyQuota } from './monthly-quota.js';
import type { RateLimiterEvents } from './rate-limiter.js';
import type { WindowResult } from '../rate-limit.js';

/** Tenants per statement. */
const MAX_BATCH_SIZE = 1_000;
const BATCH_WINDOW_MS = 500;

/** Releases evicted quotas in batches: returns unused leases and stores unsynced requests. */
class UsageAdjustmentBatcher {
  private quotas: MonthlyQuota[] = [];
  private readonly closing = new AbortController();
  private readonly pendingBatches = new Set<Promise<void>>();

  constructor(
    private readonly queries: MonthUsageQueries,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Releases a quota that is not used any more with the next batch. */
  add(quota: MonthlyQuota): void {
    this.quotas.push(quota);
    if (this.quotas.length > 1) return;
    const batch = this.runBatch().catch(this.onFailure);
    this.pendingBatches.add(batch);
    void batch.then(() => this.pendingBatches.delete(batch));
  }

  /** Writes all quotas without waiting for the batch window. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.pendingBatches);
  }

  private async runBatch(): Promise<void> {
    const { signal } = this.closing;
    await sleep(BATCH_WINDOW_MS, undefined, { signal, ref: false }).catch(() => undefined);
    const quotas = this.quotas;
    this.quotas = [];
    const released = await Promise.all(quotas.map((quota) => quota.release()));
    const adjustments = released.filter(({ requests }) => requests !== 0);
    for (let start = 0; start < adjustments.length; start += MAX_BATCH_SIZE)
      await this.queries.adjustUsage(adjustments.slice(start, start + MAX_BATCH_SIZE)).catch(this.onFailure);
  }
}

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
