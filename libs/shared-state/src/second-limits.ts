import { LRUCache } from 'lru-cache';
import { SlidingSecond, type WindowState } from './sliding-second.js';

const MOST_HOLDERS = 50_000;

/** One sliding second per key, in this process. The clock is monotonic: a wall clock that jumps grants nothing. */
export class SecondLimits {
  private readonly windows = new LRUCache<string, SlidingSecond>({ max: MOST_HOLDERS });

  constructor(private readonly now: () => number = () => performance.timeOrigin + performance.now()) {}

  /** Counts a request of `key` against `limit` per second. */
  take(key: string, limit: number): WindowState {
    let window = this.windows.get(key);
    if (!window) {
      window = new SlidingSecond(limit);
      this.windows.set(key, window);
    }
    window.limit = limit;
    return window.take(this.now());
  }
}
