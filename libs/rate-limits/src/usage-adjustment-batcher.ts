import { setTimeout as sleep } from 'node:timers/promises';
import type { MonthUsageQueries } from './month-usage.queries.js';
import type { MonthlyQuota } from './monthly-quota.js';

/** Tenants per statement. */
const MAX_BATCH_SIZE = 1_000;
const BATCH_WINDOW_MS = 500;

/** Releases evicted quotas in batches: returns unused leases and stores unsynced requests. */
export class UsageAdjustmentBatcher {
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
