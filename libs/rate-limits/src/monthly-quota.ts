import type { Lease, MonthUsageQueries, UsageAdjustment } from './month-usage.queries.js';
import { hasFinishedWithin } from '@app/common';

const BLOCKS_PER_MONTH = 1_000;
const MAX_BLOCK_SIZE = 10_000;
const STORE_RETRY_DELAY_MS = 1_000;
const EXHAUSTED_RETRY_DELAY_MS = 5_000;
/** A request waits this long for a lease; then the store counts as silent and memory decides. */
const LEASE_TIMEOUT_MS = 200;
/** What a gateway may admit on its own when it never heard from the ledger: a day's share. */
const DAYS_PER_MONTH = 30;

export interface MonthlyQuotaEvents {
  /** The ledger could not be reached; requests are admitted from memory meanwhile. */
  onStoreFailure: (error: unknown) => void;
}

const toBlockSize = (limit: number): number =>
  Math.min(MAX_BLOCK_SIZE, Math.max(1, Math.ceil(limit / BLOCKS_PER_MONTH)));

/**
 * One plan holder's month as one gateway sees it: a leased block in memory, the next one fetched before it runs out.
 * Exact over all gateways while the ledger answers; without it, this gateway's share is admitted and booked later.
 */
export class MonthlyQuota {
  private currentLimit: number;
  private leased = 0;
  private used = 0;
  /** Admitted and not booked. */
  private debt = 0;
  private heardFromLedger = false;
  private ledgerAnswers = true;
  private askAgainAtMs = 0;
  private fetching: Promise<void> | undefined;

  constructor(
    private readonly ledger: MonthUsageQueries,
    private readonly holderId: string,
    private readonly month: string,
    limit: number,
    private readonly events: MonthlyQuotaEvents,
    private readonly now: () => number,
  ) {
    this.currentLimit = limit;
  }

  get limit(): number {
    return this.currentLimit;
  }

  /** Plans change in the middle of a month; one that was used up may not be any more. */
  set limit(limit: number) {
    if (limit !== this.currentLimit) this.askAgainAtMs = 0;
    this.currentLimit = limit;
  }

  /** Requests that the month still has, as far as this gateway knows. */
  get remaining(): number {
    return Math.max(0, this.limit - this.used - this.debt + this.leased);
  }

  /** Requests that the ledger does not know of yet; below zero when it gave more than was used. */
  get netUnsynced(): number {
    return this.debt - this.leased;
  }

  /** Counts one request. A promise only when a lease has to be waited for, and then a short one. */
  take(): boolean | Promise<boolean> {
    if (this.leased > 0) {
      this.leased -= 1;
      if (this.leased < toBlockSize(this.limit) / 4) this.fetchInBackground();
      return true;
    }
    if (!this.ledgerAnswers) {
      this.fetchInBackground();
      // With nothing left to lend, the ledger may just be coming back.
      return this.takeOnCredit() || (this.fetching ? this.takeAfterFetch() : false);
    }
    return this.mayAsk ? this.takeAfterFetch() : false;
  }

  /** @returns what is owed, or what was leased and not used, for the ledger */
  async release(): Promise<UsageAdjustment> {
    await this.fetching;
    const requests = this.debt - this.leased;
    [this.debt, this.leased] = [0, 0];
    return { tenantId: this.holderId, month: this.month, requests };
  }

  private get mayAsk(): boolean {
    return this.now() >= this.askAgainAtMs;
  }

  private async takeAfterFetch(): Promise<boolean> {
    // As many waited as the block holds, and more: whoever finds it empty asks for the next one.
    while (this.leased === 0 && this.mayAsk) {
      if (!(await hasFinishedWithin(LEASE_TIMEOUT_MS, this.fetch()))) this.ledgerAnswers = false;
      if (!this.ledgerAnswers) return this.takeOnCredit();
    }
    if (this.leased === 0) return false;
    this.leased -= 1;
    return true;
  }

  /** Without a ledger: the share is what was left when it last answered, or a day's worth. */
  private takeOnCredit(): boolean {
    const share = this.heardFromLedger ? this.limit - this.used : Math.ceil(this.limit / DAYS_PER_MONTH);
    if (this.debt >= share) return false;
    this.debt += 1;
    return true;
  }

  private fetchInBackground(): void {
    if (!this.fetching && this.mayAsk) void this.fetch();
  }

  private fetch(): Promise<void> {
    this.fetching ??= this.lease().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async lease(): Promise<void> {
    const { holderId, month, limit, debt } = this;
    try {
      this.book(
        await this.ledger.lease({
          tenantId: holderId,
          month,
          limit,
          requested: toBlockSize(limit),
          unsynced: debt,
        }),
        debt,
      );
    } catch (error) {
      this.ledgerAnswers = false;
      this.askAgainAtMs = this.now() + STORE_RETRY_DELAY_MS;
      this.events.onStoreFailure(error);
    }
  }

  private book({ granted, used }: Lease, debt: number): void {
    this.ledgerAnswers = true;
    this.heardFromLedger = true;
    this.debt -= debt;
    this.leased += granted;
    this.used = used;
    this.askAgainAtMs = granted === 0 ? this.now() + EXHAUSTED_RETRY_DELAY_MS : 0;
  }
}
