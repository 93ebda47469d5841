import { LRUCache } from 'lru-cache';
import { type CalendarMonth, calendarMonth } from './calendar-month.js';
import { MonthQuota, type QuotaEvents } from './month-quota.js';
import type { PostgresMonthLedger } from './postgres-month-ledger.js';
import { SettlementBatches } from './settlement-batches.js';
import type { WindowState } from './sliding-second.js';

const MOST_HOLDERS = 50_000;

/** Every plan holder's current month at this gateway. */
export class MonthLimits {
  private readonly quotas = new LRUCache<string, MonthQuota>({
    max: MOST_HOLDERS,
    dispose: (quota) => {
      this.settlements.add(quota);
    },
  });
  private readonly settlements: SettlementBatches;

  constructor(
    private readonly ledger: PostgresMonthLedger,
    private readonly events: QuotaEvents,
    private readonly now: () => number = Date.now,
  ) {
    this.settlements = new SettlementBatches(ledger, events.onStoreFailure);
  }

  /** Counts one request of the holder. A promise only when PostgreSQL has to be asked. */
  take(holderId: string, limit: number): WindowState | Promise<WindowState> {
    const month = calendarMonth(this.now());
    const quota = this.quotaOf(holderId, month.name, limit);
    const admitted = quota.take();
    if (typeof admitted === 'boolean') return stateOf(quota, month, admitted);
    return admitted.then((outcome) => stateOf(quota, month, outcome));
  }

  /** The month as it stands, without counting anything. */
  peek(holderId: string, limit: number): WindowState {
    const month = calendarMonth(this.now());
    const quota = this.quotaOf(holderId, month.name, limit);
    return stateOf(quota, month, quota.remaining > 0);
  }

  /** What is used of the current month, by all gateways together. Rejects when the ledger cannot be asked. */
  async used(holderId: string): Promise<number> {
    const month = calendarMonth(this.now()).name;
    const booked = await this.ledger.used(holderId, month);
    return Math.max(0, booked + (this.quotas.peek(`${month} ${holderId}`)?.unbooked ?? 0));
  }

  /** Gives back what was leased and not used. */
  async close(): Promise<void> {
    this.quotas.clear();
    await this.settlements.close();
  }

  private quotaOf(holderId: string, month: string, limit: number): MonthQuota {
    const key = `${month} ${holderId}`;
    const known = this.quotas.get(key);
    if (known) {
      known.limit = limit;
      return known;
    }
    const fresh = new MonthQuota(this.ledger, holderId, month, limit, this.events, this.now);
    this.quotas.set(key, fresh);
    return fresh;
  }
}

const stateOf = (quota: MonthQuota, month: CalendarMonth, admitted: boolean): WindowState => ({
  admitted,
  limit: quota.limit,
  remaining: quota.remaining,
  resetMs: month.endMs,
});
