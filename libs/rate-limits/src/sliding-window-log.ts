/** What a limit said about one request. `resetMs`: when the window has room again, in epoch milliseconds. */
export interface WindowResult {
  admitted: boolean;
  limit: number;
  remaining: number;
  resetMs: number;
}

const WINDOW_MS = 1_000;
const INITIAL_CAPACITY = 16;

/**
 * The times of the requests that were admitted during the last second, in a ring that grows as they do. A request is
 * admitted when they are fewer than the limit, so that no interval of a second ever holds more: exact.
 */
export class SlidingWindowLog {
  private times = new Float64Array(INITIAL_CAPACITY);
  private oldest = 0;
  private count = 0;

  constructor(public limit: number) {}

  take(nowMs: number): WindowResult {
    this.forgetBefore(nowMs - WINDOW_MS);
    const admitted = this.count < this.limit;
    if (admitted) this.remember(nowMs);
    return {
      admitted,
      limit: this.limit,
      remaining: Math.max(0, this.limit - this.count),
      resetMs: this.resetMs(nowMs),
    };
  }

  private forgetBefore(timeMs: number): void {
    while (this.count > 0 && this.timeAt(0) <= timeMs) {
      this.oldest = (this.oldest + 1) % this.times.length;
      this.count -= 1;
    }
  }

  private remember(nowMs: number): void {
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

  /** Full: when the oldest leaves. With room left: now. */
  private resetMs(nowMs: number): number {
    return this.count < this.limit ? nowMs : this.timeAt(0) + WINDOW_MS;
  }
}
