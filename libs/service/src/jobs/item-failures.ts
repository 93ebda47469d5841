import { boundEntries, formatErrorReason, HOUR_MS, SECOND_MS } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 2 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;
/**
 * Items that are remembered: more than fail at the same time. Each that is paused is a parameter of the statement that
 * lists the others.
 */
const MAX_ITEMS = 1_000;

interface Failure {
  readonly reason: string;
  readonly pauseMs: number;
  /** Time by `performance.now()`. */
  readonly pausedUntil: number;
}

interface ItemFailuresOptions {
  /** The log field of an item's id. */
  readonly idField?: string;
  readonly maxPauseMs?: number;
}

/**
 * Failures of single items of a loop that all tenants share. A failure is logged when its reason is another than the last one of the item,
 * and pauses the item for twice the time of its last pause, from two seconds to an hour by default.
 */
export class ItemFailures {
  private readonly failures = new LRUCache<string, Failure>(boundEntries(MAX_ITEMS));

  constructor(
    private readonly logger: Logger,
    private readonly message: string,
    private readonly options: ItemFailuresOptions = {},
  ) {}

  isPaused(id: string): boolean {
    const last = this.failures.peek(id);
    return last !== undefined && last.pausedUntil > performance.now();
  }

  /** The items that are paused, for a statement that leaves them out. */
  listPaused(): string[] {
    return [...this.failures.keys()].filter((id) => this.isPaused(id));
  }

  /**
   * Does the work of one item, unless the item is paused. Never rejects.
   * @param conditions that the work depends on, so that a pause ends when they change
   * @returns whether the work was done
   */
  async guard(id: string, work: () => Promise<void>, conditions: readonly string[] = []): Promise<boolean> {
    const key = [id, ...conditions].join(' ');
    if (this.isPaused(key)) return false;
    try {
      await work();
      this.forget(key);
      return true;
    } catch (error) {
      this.record(id, error, key);
      return false;
    }
  }

  /** Ends the pause of an item that did not fail. */
  forget(id: string): void {
    this.failures.delete(id);
  }

  /** Logs a failure. @returns the pause, for items that other instances take, too */
  record(id: string, error: unknown, key = id): number {
    const last = this.failures.get(key);
    const reason = formatErrorReason(error);
    const { idField = 'operationId', maxPauseMs = MAX_PAUSE_MS } = this.options;
    if (last?.reason !== reason) this.logger.warn({ [idField]: id, reason }, this.message);
    const pauseMs = Math.min(maxPauseMs, last ? 2 * last.pauseMs : FIRST_PAUSE_MS);
    this.failures.set(key, { reason, pauseMs, pausedUntil: performance.now() + pauseMs });
    return pauseMs;
  }
}
