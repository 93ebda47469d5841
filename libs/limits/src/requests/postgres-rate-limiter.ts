import { hasFinishedWithin, boundEntries } from '@app/common';
import { DAYS_PER_MONTH, type CalendarMonth, toCalendarMonth } from './calendar-month.js';
import type { Lease, MonthUsageQueries, UsageAdjustment } from './month-usage.queries.js';
import { type RateLimiterEvents, type RateLimitResult, RateLimiter } from './rate-limiter.js';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowResult, RateLimit } from '../rate-limit.js';
import type { RequestLimits } from '@app/dto';

const BLOCKS_PER_MONTH = 1_000;
const MAX_BLOCK_SIZE = 10_000;
const STORE_RETRY_DELAY_MS = 1_000;
const EXHAUSTED_RETRY_DELAY_MS = 5_000;
/** The store counts as unavailable after this long without a lease, and memory decides. */
const LEASE_TIMEOUT_MS = 200;

const toBlockSize = (limit: number): number =>
  Math.min(MAX_BLOCK_SIZE, Math.max(1, Math.ceil(limit / BLOCKS_PER_MONTH)));

/**
 * The month of a tenant at one gateway: leases a block of requests and renews it before it runs out. Exact over all
 * gateways while PostgreSQL answers; otherwise admits this gateway's share and stores it later.
 */
class MonthlyQuota {
  private currentLimit: number;
  private leased = 0;
  /** Requests used or leased at all gateways, as of the last lease. */
  private used = 0;
  /** Requests that were admitted without a lease and are not stored yet. */
  private unsynced = 0;
  private hasReadUsage = false;
  private isStoreAvailable = true;
  private nextLeaseAtMs = 0;
  private pendingLease: Promise<void> | undefined;

  constructor(
    private readonly queries: MonthUsageQueries,
    private readonly tenantId: string,
    private readonly month: string,
    limit: number,
    private readonly events: RateLimiterEvents,
    private readonly now: () => number,
    private readonly leaseTimeoutMs: number,
  ) {
    this.currentLimit = limit;
  }

  get limit(): number {
    return this.currentLimit;
  }

  /** A plan may change within the month, so an exhausted quota is leased again at once. */
  set limit(limit: number) {
    if (limit !== this.currentLimit) this.nextLeaseAtMs = 0;
    this.currentLimit = limit;
  }

  /** Requests left in the month, as far as this gateway knows. */
  get remaining(): number {
    return Math.max(0, this.limit - this.used - this.unsynced + this.leased);
  }

  /** Requests that PostgreSQL has yet to count; negative when more were leased than used. */
  get netUnsynced(): number {
    return this.unsynced - this.leased;
  }

  /** Counts one request. Returns a promise only when it waits for a lease, `leaseTimeoutMs` at most. */
  take(): boolean | Promise<boolean> {
    if (this.leased > 0) {
      this.leased -= 1;
      if (this.leased < toBlockSize(this.limit) / 4) this.leaseInBackground();
      return true;
    }
    if (!this.isStoreAvailable) {
      this.leaseInBackground();
      // A lease under way may still succeed once the offline share is used up.
      return this.takeOffline() || (this.pendingLease ? this.takeAfterLease() : false);
    }
    return this.mayLease ? this.takeAfterLease() : false;
  }

  /** Ends the quota. @returns the unsynced requests, or as a negative number the leased ones that were not used */
  async release(): Promise<UsageAdjustment> {
    await this.pendingLease;
    const requests = this.netUnsynced;
    [this.unsynced, this.leased] = [0, 0];
    return { tenantId: this.tenantId, month: this.month, requests };
  }

  private get mayLease(): boolean {
    return this.now() >= this.nextLeaseAtMs;
  }

  private async takeAfterLease(): Promise<boolean> {
    // Requests that find the block empty lease the next one: more may wait than it holds.
    while (this.leased === 0 && this.mayLease) {
      if (!(await hasFinishedWithin(this.leaseTimeoutMs, this.lease()))) this.isStoreAvailable = false;
      if (!this.isStoreAvailable) return this.takeOffline();
    }
    if (this.leased === 0) return false;
    this.leased -= 1;
    return true;
  }

  /** Admits what was left at the last lease or, without one, a day's share. */
  private takeOffline(): boolean {
    const share = this.hasReadUsage ? this.limit - this.used : Math.ceil(this.limit / DAYS_PER_MONTH);
    if (this.unsynced >= share) return false;
    this.unsynced += 1;
    return true;
  }

  private leaseInBackground(): void {
    if (!this.pendingLease && this.mayLease) void this.lease();
  }

  private lease(): Promise<void> {
    this.pendingLease ??= this.requestLease().finally(() => (this.pendingLease = undefined));
    return this.pendingLease;
  }

  private async requestLease(): Promise<void> {
    const { tenantId, month, limit, unsynced } = this;
    try {
      const requested = toBlockSize(limit);
      this.applyLease(await this.queries.lease({ tenantId, month, limit, requested, unsynced }), unsynced);
    } catch (error) {
      this.isStoreAvailable = false;
      this.nextLeaseAtMs = this.now() + STORE_RETRY_DELAY_MS;
      this.events.onStoreFailure(error);
    }
  }

  private applyLease({ granted, used }: Lease, synced: number): void {
    this.isStoreAvailable = true;
    this.hasReadUsage = true;
    // What memory admitted while this lease was under way is paid from it, so that the end of the month is not passed.
    const late = this.unsynced - synced;
    const paid = Math.min(late, granted);
    this.unsynced = late - paid;
    this.leased += granted - paid;
    this.used = used;
    this.nextLeaseAtMs = granted === 0 ? this.now() + EXHAUSTED_RETRY_DELAY_MS : 0;
  }
}

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
