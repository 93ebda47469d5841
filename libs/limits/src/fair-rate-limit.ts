import { MINUTE_MS } from '@app/common';
import { FairQueue } from './fair-queue.js';
import { TokenBucket } from './token-bucket.js';

export interface FairRateLimitOptions {
  readonly requestsPerMinute: number;
  /** Requests of one key that wait; further requests are refused. */
  readonly maxWaitingPerKey: number;
}

export type RateLimitOutcome = 'granted' | 'refused' | 'aborted';

type SettleRequest = (outcome: RateLimitOutcome) => void;

/** The part of a minute's requests that may be sent at once. */
const BURST_PART = 1 / 6;

/**
 * Bounds how fast requests are sent to one service. Keys, such as tenants, take turns, however many requests of each key
 * wait, so that no key delays another one by more than its own turn.
 */
export class FairRateLimit {
  private readonly bucket: TokenBucket;
  private readonly waiting = new FairQueue<SettleRequest>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FairRateLimitOptions) {
    const { requestsPerMinute } = options;
    const burst = Math.max(1, Math.floor(requestsPerMinute * BURST_PART));
    // The burst and what is added during a minute are the requests of a minute together.
    this.bucket = new TokenBucket(burst, MINUTE_MS / Math.max(1, requestsPerMinute - burst));
  }

  /** Waits for the turn of a request. Refuses a request at once when too many of its key wait. */
  acquire(key: string, signal: AbortSignal): Promise<RateLimitOutcome> {
    if (signal.aborted) return Promise.resolve('aborted');
    if (this.waiting.keyCount === 0 && this.takeToken()) return Promise.resolve('granted');
    if (this.waiting.countOf(key) >= this.options.maxWaitingPerKey) return Promise.resolve('refused');
    return new Promise((resolve) => {
      const settle: SettleRequest = (outcome) => {
        signal.removeEventListener('abort', onAbort);
        resolve(outcome);
      };
      const onAbort = (): void => {
        this.waiting.remove(key, settle);
        settle('aborted');
      };
      signal.addEventListener('abort', onAbort);
      this.waiting.add(key, settle);
      this.schedule();
    });
  }

  /** Sends nothing for this time, and then slowly. */
  pause(durationMs: number): void {
    this.bucket.pause(durationMs);
  }

  private takeToken(): boolean {
    if (this.bucket.delayMs > 0) return false;
    this.bucket.take();
    return true;
  }

  private schedule(): void {
    if (this.timer !== undefined || this.waiting.keyCount === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      while (this.waiting.keyCount > 0 && this.takeToken()) this.waiting.take()?.('granted');
      this.schedule();
    }, this.bucket.delayMs);
    this.timer.unref();
  }
}
