import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { SlidingWindowLog, type WindowResult } from './sliding-window-log.js';

const MAX_KEYS = 50_000;

/**
 * A sliding second for each key, in this process. Its clock is monotonic, so that a clock change admits no extra
 * request.
 */
export class PerSecondLimiter {
  private readonly windows = new LRUCache<string, SlidingWindowLog>(boundEntries(MAX_KEYS));

  constructor(private readonly now: () => number = () => performance.timeOrigin + performance.now()) {}

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
