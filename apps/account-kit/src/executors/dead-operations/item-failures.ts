import { formatErrorReason, HOUR_MS, SECOND_MS } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 2 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;
/** More items than one chain has that fail at the same time. */
const MAX_ITEMS = 10_000;

interface Failure {
  readonly reason: string;
  readonly pauseMs: number;
  /** Time by `performance.now()`. */
  readonly pausedUntil: number;
}

/**
 * Failures of single items of a loop that all tenants share. A failure is logged when its reason is another than the last one of the item,
 * and pauses the item for twice the time of its last pause, from two seconds to an hour.
 */
export class ItemFailures {
  private readonly failures = new LRUCache<string, Failure>({ max: MAX_ITEMS });

  constructor(
    private readonly logger: Logger,
    private readonly message: string,
  ) {}

  /** Does the work of one item, unless the item is paused. Never rejects. */
  async guard(id: string, work: () => Promise<void>): Promise<void> {
    const last = this.failures.get(id);
    const now = performance.now();
    if (last && last.pausedUntil > now) return;
    try {
      await work();
      this.failures.delete(id);
    } catch (error) {
      const reason = formatErrorReason(error);
      if (last?.reason !== reason) this.logger.warn({ operationId: id, reason }, this.message);
      const pauseMs = Math.min(MAX_PAUSE_MS, last ? 2 * last.pauseMs : FIRST_PAUSE_MS);
      this.failures.set(id, { reason, pauseMs, pausedUntil: now + pauseMs });
    }
  }
}
