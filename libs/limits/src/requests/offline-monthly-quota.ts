import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { DAYS_PER_MONTH, toCalendarMonth } from './calendar-month.js';
import type { WindowResult } from '../rate-limit.js';

const MAX_TENANTS = 50_000;

interface TenantUsage {
  month: string;
  /** Requests of the month as Redis last returned them; undefined before its first reply. */
  used: number | undefined;
  /** Requests that were admitted while Redis was unavailable. */
  unsynced: number;
}

/** The monthly usage of each tenant as this gateway last read it, for admitting requests while Redis is unavailable. */
export class OfflineMonthlyQuota {
  private readonly usages = new LRUCache<string, TenantUsage>(boundEntries(MAX_TENANTS));

  constructor(private readonly now: () => number) {}

  /** Ignores a reply about a month that has ended meanwhile. */
  recordStoredUsage(tenantId: string, month: string, used: number): void {
    const usage = this.getUsage(tenantId);
    // Replies may arrive out of order.
    if (usage.month === month) usage.used = Math.max(usage.used ?? 0, used);
  }

  /** The usage of the current month as Redis last returned it, else 0. */
  getStoredUsage(tenantId: string): number {
    return this.getUsage(tenantId).used ?? 0;
  }

  /** Takes the requests that Redis has yet to count; `addUnsynced` puts them back when that fails. */
  takeUnsynced(tenantId: string): number {
    if (!this.usages.has(tenantId)) return 0;
    const usage = this.getUsage(tenantId);
    const { unsynced } = usage;
    usage.unsynced = 0;
    return unsynced;
  }

  addUnsynced(tenantId: string, requests: number): void {
    if (requests > 0) this.getUsage(tenantId).unsynced += requests;
  }

  /** Counts one request. @param instanceCount gateways that share what is left of the month */
  take(tenantId: string, limit: number, instanceCount: number): WindowResult {
    const usage = this.getUsage(tenantId);
    const left = usage.used === undefined ? limit / DAYS_PER_MONTH : limit - usage.used;
    const share = Math.max(0, Math.ceil(left / instanceCount));
    const admitted = usage.unsynced < share;
    if (admitted) usage.unsynced += 1;
    return this.toWindowResult(admitted, limit, share - usage.unsynced);
  }

  /** The state of the month, without counting a request. */
  peek(tenantId: string, limit: number): WindowResult {
    const { used = 0, unsynced } = this.getUsage(tenantId);
    const left = limit - used - unsynced;
    return this.toWindowResult(left > 0, limit, left);
  }

  private toWindowResult(admitted: boolean, limit: number, left: number): WindowResult {
    const { endMs } = toCalendarMonth(this.now());
    return { admitted, limit, remaining: Math.max(0, left), resetMs: endMs };
  }

  private getUsage(tenantId: string): TenantUsage {
    const month = toCalendarMonth(this.now()).name;
    const cached = this.usages.get(tenantId);
    if (cached?.month === month) return cached;
    // A new month starts at 0. Without an entry of the month before, the stored usage is unknown.
    const fresh: TenantUsage = { month, used: cached && 0, unsynced: 0 };
    this.usages.set(tenantId, fresh);
    return fresh;
  }
}
