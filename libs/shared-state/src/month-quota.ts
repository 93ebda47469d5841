import type { Lease, PostgresMonthLedger } from './postgres-month-ledger.js';

const BLOCKS_PER_MONTH = 1_000;
const LARGEST_BLOCK = 10_000;
const RETRY_STORE_MS = 1_000;
const ASK_AGAIN_WHEN_EXHAUSTED_MS = 5_000;
/** What a gateway may admit on its own when it never heard from the ledger: a day's share. */
const DAYS = 30;

export interface QuotaEvents {
  /** The ledger could not be reached; requests are admitted from memory meanwhile. */
  onStoreFailure: (error: unknown) => void;
}

const blockSize = (limit: number): number =>
  Math.min(LARGEST_BLOCK, Math.max(1, Math.ceil(limit / BLOCKS_PER_MONTH)));

/**
 * One plan holder's month as one gateway sees it: a leased block in memory, the next one fetched before it runs out.
 * Exact over all gateways while the ledger answers; without it, this gateway's share is admitted and booked later.
 */
export class MonthQuota {
  private leased = 0;
  private used = 0;
  private debt = 0;
  private heardFromLedger = false;
  private ledgerAnswers = true;
  private askAgainAtMs = 0;
  private fetching: Promise<void> | undefined;

  constructor(
    private readonly ledger: PostgresMonthLedger,
    private readonly holderId: string,
    private readonly month: string,
    readonly limit: number,
    private readonly events: QuotaEvents,
  ) {}

  /** Requests that the month still has, as far as this gateway knows. */
  get remaining(): number {
    return Math.max(0, this.limit - this.used - this.debt) + this.leased;
  }

  /** Counts one request. A promise only when a lease has to be waited for. */
  take(nowMs: number): boolean | Promise<boolean> {
    if (this.leased > 0) {
      this.leased -= 1;
      if (this.leased < blockSize(this.limit) / 4) this.fetchInBackground(nowMs);
      return true;
    }
    if (nowMs < this.askAgainAtMs) return this.takeOnCredit();
    return this.takeAfterFetch(nowMs);
  }

  /** Returns the unused rest of the lease. */
  async close(): Promise<void> {
    await this.fetching;
    const unused = this.leased;
    this.leased = 0;
    if (unused > 0) await this.ledger.giveBack(this.holderId, this.month, unused);
  }

  private async takeAfterFetch(nowMs: number): Promise<boolean> {
    // As many waited as the block holds, and more: whoever finds it empty asks for the next one.
    while (this.leased === 0 && nowMs >= this.askAgainAtMs) await this.fetch(nowMs);
    if (this.leased === 0) return this.takeOnCredit();
    this.leased -= 1;
    return true;
  }

  /** Without a ledger: the share is what was left when it last answered, or a day's worth. */
  private takeOnCredit(): boolean {
    if (this.heardFromLedger && this.ledgerAnswers) return false;
    const share = this.heardFromLedger ? this.limit - this.used : Math.ceil(this.limit / DAYS);
    if (this.debt >= share) return false;
    this.debt += 1;
    return true;
  }

  private fetchInBackground(nowMs: number): void {
    if (this.fetching || nowMs < this.askAgainAtMs) return;
    void this.fetch(nowMs);
  }

  private fetch(nowMs: number): Promise<void> {
    this.fetching ??= this.lease(nowMs).finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async lease(nowMs: number): Promise<void> {
    const { holderId, month, limit, debt } = this;
    try {
      this.book(
        await this.ledger.lease({ holderId, month, limit, want: blockSize(limit), debt }),
        debt,
        nowMs,
      );
    } catch (error) {
      this.ledgerAnswers = false;
      this.askAgainAtMs = nowMs + RETRY_STORE_MS;
      this.events.onStoreFailure(error);
    }
  }

  private book({ granted, used }: Lease, debt: number, nowMs: number): void {
    this.ledgerAnswers = true;
    this.heardFromLedger = true;
    this.debt -= debt;
    this.leased += granted;
    this.used = used;
    if (granted === 0) this.askAgainAtMs = nowMs + ASK_AGAIN_WHEN_EXHAUSTED_MS;
  }
}
