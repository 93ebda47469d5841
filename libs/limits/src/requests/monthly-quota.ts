import { hasFinishedWithin } from '@app/common';
import { DAYS_PER_MONTH } from './calendar-month.js';
import type { Lease, MonthUsageQueries, UsageAdjustment } from './month-usage.queries.js';
import type { RateLimiterEvents } from './rate-limiter.js';

const BLOCKS_PER_MONTH = 1_000;
const MAX_BLOCK_SIZE = 10_000;
const STORE_RETRY_DELAY_MS = 1_000;
const EXHAUSTED_RETRY_DELAY_MS = 5_000;
/** The store counts as unavailable after this long without a lease, and memory decides. */
export const LEASE_TIMEOUT_MS = 200;

const toBlockSize = (limit: number): number =>
  Math.min(MAX_BLOCK_SIZE, Math.max(1, Math.ceil(limit / BLOCKS_PER_MONTH)));

/**
 * The month of a tenant at one gateway: leases a block of requests and renews it before it runs out. Exact over all
 * gateways while PostgreSQL answers; otherwise admits this gateway's share and stores it later.
 */
export class MonthlyQuota {
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
    this.unsynced -= synced;
    this.leased += granted;
    this.used = used;
    this.nextLeaseAtMs = granted === 0 ? this.now() + EXHAUSTED_RETRY_DELAY_MS : 0;
  }
}
