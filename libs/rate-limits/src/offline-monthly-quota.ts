import { LRUCache } from 'lru-cache';
import { toCalendarMonth } from './calendar-month.js';
import type { WindowResult } from './sliding-window-log.js';

const MAX_TENANTS = 50_000;
/** What may be admitted of a month that was never looked up: a day's worth. */
const DAYS_PER_MONTH = 30;

interface TenantUsage {
  month: string;
  /** What the store said was used; undefined when it was never asked. */
  used: number | undefined;
  /** When the store said that its month ends, in epoch milliseconds; 0 when it was never asked. */
  endMs: number;
  /** Admitted since, and not told to the store. */
  unsynced: number;
}

/** The month of every holder as this gateway last heard of it, to go on with while the store is away. */
export class OfflineMonthlyQuota {
  private readonly credits = new LRUCache<string, TenantUsage>({ max: MAX_TENANTS });

  constructor(private readonly now: () => number = Date.now) {}

  /** The store has answered. */
  recordStoredUsage(holderId: string, used: number, endMs: number): void {
    const credit = this.creditOf(holderId);
    // Answers may overtake each other.
    credit.used = credit.endMs === endMs ? Math.max(credit.used ?? 0, used) : used;
    credit.endMs = endMs;
  }

  /** What the store said last. */
  getStoredUsage(holderId: string): { used: number; endMs: number } {
    const { used = 0, endMs } = this.creditOf(holderId);
    return { used, endMs };
  }

  /** Takes what is still to be booked; `owe` gives it back when booking failed. */
  takeUnsynced(holderId: string): number {
    const known = this.credits.get(holderId);
    if (!known) return 0;
    const { unsynced } = this.creditOf(holderId);
    known.unsynced = 0;
    return unsynced;
  }

  addUnsynced(holderId: string, debt: number): void {
    if (debt > 0) this.creditOf(holderId).unsynced += debt;
  }

  /** @param gateways how many share what is left */
  take(holderId: string, limit: number, gateways: number): WindowResult {
    const credit = this.creditOf(holderId);
    const left = credit.used === undefined ? limit / DAYS_PER_MONTH : limit - credit.used;
    const share = Math.max(0, Math.ceil(left / gateways));
    const admitted = credit.unsynced < share;
    if (admitted) credit.unsynced += 1;
    const { endMs } = toCalendarMonth(this.now());
    return { admitted, limit, remaining: Math.max(0, share - credit.unsynced), resetMs: endMs };
  }

  /** The month as it stands, without counting anything. */
  peek(holderId: string, limit: number): WindowResult {
    const { used = 0, unsynced } = this.creditOf(holderId);
    const { endMs } = toCalendarMonth(this.now());
    const remaining = Math.max(0, limit - used - unsynced);
    return { admitted: remaining > 0, limit, remaining, resetMs: endMs };
  }

  private creditOf(holderId: string): TenantUsage {
    const month = toCalendarMonth(this.now()).name;
    const known = this.credits.get(holderId);
    if (known?.month === month) return known;
    // A new month owes nothing, and nothing of it is used as far as anybody knows.
    const fresh: TenantUsage = { month, used: known && 0, endMs: 0, unsynced: 0 };
    this.credits.set(holderId, fresh);
    return fresh;
  }
}
