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
    /** The log field of an item's id. */
    private readonly idField = 'operationId',
  ) {}

  /** Does the work of one item, unless the item is paused. Never rejects. */
  async guard(id: string, work: () => Promise<void>): Promise<void> {
    const last = this.failures.get(id);
    const now = performance.now();
    if (last && last.pausedUntil > now) return;
    try {
      await work();
      this.forget(id);
    } catch (error) {
      this.record(id, error);
    }
  }

  /** Ends the pause of an item that did not fail. */
  forget(id: string): void {
    this.failures.delete(id);
  }

  /** Logs a failure. @returns the pause, for items that other instances take, too */
  record(id: string, error: unknown): number {
    const last = this.failures.get(id);
    const reason = formatErrorReason(error);
    if (last?.reason !== reason) this.logger.warn({ [this.idField]: id, reason }, this.message);
    const pauseMs = Math.min(MAX_PAUSE_MS, last ? 2 * last.pauseMs : FIRST_PAUSE_MS);
    this.failures.set(id, { reason, pauseMs, pausedUntil: performance.now() + pauseMs });
    return pauseMs;
  }
}
