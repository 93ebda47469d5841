import { setTimeout as sleep } from 'node:timers/promises';
import type { MonthlyQuota } from './monthly-quota.js';
import type { MonthUsageQueries } from './month-usage.queries.js';

/** So many plan holders are settled at once. */
const MAX_BATCH_SIZE = 1_000;
/** Quotas that are given up one by one are collected for this long. */
const BATCH_WINDOW_MS = 500;

/** Gives back what quotas leased and did not use, and books what they owe, for many plan holders at once. */
export class UsageAdjustmentBatcher {
  private quotas: MonthlyQuota[] = [];
  private readonly hurry = new AbortController();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly ledger: MonthUsageQueries,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** The quota is not used any more. */
  add(quota: MonthlyQuota): void {
    this.quotas.push(quota);
    if (this.quotas.length > 1) return;
    const batch = this.collect().catch(this.onFailure);
    this.underWay.add(batch);
    void batch.then(() => this.underWay.delete(batch));
  }

  /** Resolves when everything that was added is settled, at once. */
  async close(): Promise<void> {
    this.hurry.abort();
    await Promise.all(this.underWay);
  }

  private async collect(): Promise<void> {
    await sleep(BATCH_WINDOW_MS, undefined, { signal: this.hurry.signal, ref: false }).catch(() => undefined);
    const quotas = this.quotas;
    this.quotas = [];
    const ended = await Promise.all(quotas.map((quota) => quota.release()));
    const settlements = ended.filter(({ requests }) => requests !== 0);
    for (let start = 0; start < settlements.length; start += MAX_BATCH_SIZE)
      await this.ledger.adjustUsage(settlements.slice(start, start + MAX_BATCH_SIZE)).catch(this.onFailure);
  }
}
