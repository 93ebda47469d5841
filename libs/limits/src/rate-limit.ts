import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';

/** The result of one window for one request. */
export interface WindowResult {
  admitted: boolean;
  limit: number;
  remaining: number;
  /** The time at which the window has room again, in epoch milliseconds. */
  resetMs: number;
}

/** A counted request that may be taken back. */
export interface ReturnableRequest {
  window: WindowResult;
  giveBack: () => void;
}

const WINDOW_MS = 1_000;
const INITIAL_CAPACITY = 16;

const MAX_KEYS = 50_000;

/**
 * The times of requests admitted during the last second, in a growing ring buffer. Admits a request while they are fewer
 * than the limit, so that no interval of one second ever holds more admitted requests than the limit.
 */
export class SlidingWindowLog {
  private times = new Float64Array(INITIAL_CAPACITY);
  private oldest = 0;
  private count = 0;

  constructor(public limit: number) {}

  /** Counts a request. @returns `resetMs` by the clock that `nowMs` goes by */
  take(nowMs: number): WindowResult {
    this.removeBefore(nowMs - WINDOW_MS);
    const admitted = this.count < this.limit;
    if (admitted) this.append(nowMs);
    return {
      admitted,
      limit: this.limit,
      remaining: Math.max(0, this.limit - this.count),
      resetMs: this.resetMs(nowMs),
    };
  }

  /** Takes back a request that was admitted during the last second; the newest one stands for it. */
  giveBack(takenAtMs: number, nowMs: number): void {
    this.removeBefore(nowMs - WINDOW_MS);
    if (this.count > 0 && takenAtMs > nowMs - WINDOW_MS) this.count -= 1;
  }

  private removeBefore(timeMs: number): void {
    while (this.count > 0 && this.timeAt(0) <= timeMs) {
      this.oldest = (this.oldest + 1) % this.times.length;
      this.count -= 1;
    }
  }

  private append(nowMs: number): void {
    if (this.count === this.times.length) this.grow();
    this.times[(this.oldest + this.count) % this.times.length] = nowMs;
    this.count += 1;
  }

  private grow(): void {
    const grown = new Float64Array(this.times.length * 2);
    for (let at = 0; at < this.count; at += 1) grown[at] = this.timeAt(at);
    this.times = grown;
    this.oldest = 0;
  }

  private timeAt(at: number): number {
    return this.times[(this.oldest + at) % this.times.length] ?? -Infinity;
  }

  /** The time at which the oldest request leaves the window when it is full; else now. */
  private resetMs(nowMs: number): number {
    return this.count < this.limit ? nowMs : this.timeAt(0) + WINDOW_MS;
  }
}

/**
 * Bounds the requests of each key, such as a tenant or an IP address, in any second; each process counts for itself. The
 * clock is monotonic, so that a clock change admits no extra request.
 */
export class RateLimit {
  private readonly windows = new LRUCache<string, SlidingWindowLog>(boundEntries(MAX_KEYS));

  constructor(private readonly now: () => number = () => performance.timeOrigin + performance.now()) {}

  /** Counts a request like `take`, until it is given back. */
  takeReturnable(key: string, limit: number): ReturnableRequest {
    const takenAtMs = this.now();
    const window = this.take(key, limit);
    const giveBack = (): void => {
      if (window.admitted) this.windows.get(key)?.giveBack(takenAtMs, this.now());
    };
    return { window, giveBack };
  }

  /** Counts a request of `key` against `limit` per second. */
  take(key: string, limit: number): WindowResult {
    let window = this.windows.get(key);
    if (!window) {
      window = new SlidingWindowLog(limit);
      this.windows.set(key, window);
    }
    window.limit = limit;
    const nowMs = this.now();
    const result = window.take(nowMs);
    // Headers tell times by the wall clock, which may have been adjusted since this process started.
    result.resetMs += Date.now() - nowMs;
    return result;
  }
}
