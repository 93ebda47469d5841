/** What a limit said about one request. `resetMs`: when the window has room again, in epoch milliseconds. */
export interface WindowState {
  admitted: boolean;
  limit: number;
  remaining: number;
  resetMs: number;
}

const WINDOW_MS = 1_000;

/**
 * The times of the last `limit` admitted requests, in a ring. A request is admitted when the oldest of them has left
 * the window, so that no interval of a second ever holds more than `limit`: exact, and one comparison per request.
 */
export class SlidingSecond {
  private readonly times: Float64Array;
  private oldest = 0;

  constructor(readonly limit: number) {
    this.times = new Float64Array(limit).fill(-Infinity);
  }

  take(nowMs: number): WindowState {
    const oldestTime = this.times[this.oldest] ?? -Infinity;
    const admitted = nowMs - oldestTime >= WINDOW_MS;
    if (admitted) {
      this.times[this.oldest] = nowMs;
      this.oldest = (this.oldest + 1) % this.limit;
    }
    return { admitted, limit: this.limit, remaining: this.remaining(nowMs), resetMs: this.resetMs(nowMs) };
  }

  /** When nobody was admitted during a whole window, nothing is remembered. */
  isIdle(nowMs: number): boolean {
    const newest = this.times[(this.oldest + this.limit - 1) % this.limit] ?? -Infinity;
    return nowMs - newest >= WINDOW_MS;
  }

  /** Times stand in order in the ring: a binary search for the first that is still inside the window. */
  private remaining(nowMs: number): number {
    let low = 0;
    let high = this.limit;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const time = this.times[(this.oldest + middle) % this.limit] ?? -Infinity;
      if (nowMs - time >= WINDOW_MS) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private resetMs(nowMs: number): number {
    const oldestTime = this.times[this.oldest] ?? -Infinity;
    return Math.max(nowMs, oldestTime + WINDOW_MS);
  }
}
