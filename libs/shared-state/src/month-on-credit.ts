import { LRUCache } from 'lru-cache';
import { calendarMonth } from './calendar-month.js';
import type { WindowState } from './sliding-second.js';

const MOST_HOLDERS = 50_000;
/** What may be admitted of a month that was never looked up: a day's worth. */
const DAYS = 30;

interface Credit {
  month: string;
  /** What the store said was used; undefined when it was never asked. */
  used: number | undefined;
  /** When the store said that its month ends, in epoch milliseconds; 0 when it was never asked. */
  endMs: number;
  /** Admitted since, and not told to the store. */
  debt: number;
}

/** The month of every holder as this gateway last heard of it, to go on with while the store is away. */
export class MonthOnCredit {
  private readonly credits = new LRUCache<string, Credit>({ max: MOST_HOLDERS });

  constructor(private readonly now: () => number = Date.now) {}

  /** The store has answered. */
  hear(holderId: string, used: number, endMs: number): void {
    const credit = this.creditOf(holderId);
    // Answers may overtake each other.
    credit.used = credit.endMs === endMs ? Math.max(credit.used ?? 0, used) : used;
    credit.endMs = endMs;
  }

  /** What the store said last. */
  known(holderId: string): { used: number; endMs: number } {
    const { used = 0, endMs } = this.creditOf(holderId);
    return { used, endMs };
  }

  /** Takes what is still to be booked; `owe` gives it back when booking failed. */
  settle(holderId: string): number {
    const known = this.credits.get(holderId);
    if (!known) return 0;
    const { debt } = this.creditOf(holderId);
    known.debt = 0;
    return debt;
  }

  owe(holderId: string, debt: number): void {
    if (debt > 0) this.creditOf(holderId).debt += debt;
  }

  /** @param gateways how many share what is left */
  take(holderId: string, limit: number, gateways: number): WindowState {
    const credit = this.creditOf(holderId);
    const left = credit.used === undefined ? limit / DAYS : limit - credit.used;
    const share = Math.max(0, Math.ceil(left / gateways));
    const admitted = credit.debt < share;
    if (admitted) credit.debt += 1;
    const { endMs } = calendarMonth(this.now());
    return { admitted, limit, remaining: Math.max(0, share - credit.debt), resetMs: endMs };
  }

  /** The month as it stands, without counting anything. */
  peek(holderId: string, limit: number): WindowState {
    const { used = 0, debt } = this.creditOf(holderId);
    const { endMs } = calendarMonth(this.now());
    const remaining = Math.max(0, limit - used - debt);
    return { admitted: remaining > 0, limit, remaining, resetMs: endMs };
  }

  private creditOf(holderId: string): Credit {
    const month = calendarMonth(this.now()).name;
    const known = this.credits.get(holderId);
    if (known?.month === month) return known;
    // A new month owes nothing, and nothing of it is used as far as anybody knows.
    const fresh: Credit = { month, used: known && 0, endMs: 0, debt: 0 };
    this.credits.set(holderId, fresh);
    return fresh;
  }
}
