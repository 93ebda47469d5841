import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './observability/logger.js';

const INITIAL_RETRY_MS = 1_000;

export interface RefreshingCacheOptions<T> {
  /** For the log. */
  label: string;
  load: () => Promise<T>;
  /** Told each time that something else is kept, before anybody gets to see it. */
  onReplaced?: (fresh: T, earlier: T | undefined) => void;
  /** Between two readings. */
  intervalMs: number;
  logger: Logger;
}

/** Something that is read again and again in the background and kept in memory. While it cannot be read the last one goes on. */
export class RefreshingCache<T> {
  private kept: T | undefined;
  private problem = 'not loaded yet';
  private readonly ending = new AbortController();
  private reading: Promise<void> | undefined;
  private begun = 0;
  private keptSince = 0;

  constructor(private readonly options: RefreshingCacheOptions<T>) {}

  /** Undefined before it was read for the first time. */
  get current(): T | undefined {
    return this.kept;
  }

  /** For readiness. @throws Error that says why there is nothing */
  check(): void {
    if (this.kept === undefined) throw new Error(this.problem);
  }

  start(): void {
    this.reading = this.readOn();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.reading;
  }

  /** Reads it now. Of two readings at once the one that began later counts, whichever comes in first. */
  async refresh(): Promise<void> {
    this.begun += 1;
    const { begun } = this;
    const fresh = await this.options.load();
    if (begun < this.keptSince) return;
    this.keptSince = begun;
    const earlier = this.kept;
    this.kept = fresh;
    this.options.onReplaced?.(fresh, earlier);
  }

  private async readOn(): Promise<void> {
    const { label, intervalMs, logger } = this.options;
    const { signal } = this.ending;
    while (!signal.aborted) {
      try {
        await this.refresh();
      } catch (error) {
        this.problem = error instanceof Error ? error.message : 'unknown';
        // At the start the database may not be connected yet: until it was read once, readiness says so.
        const level = this.kept === undefined ? 'debug' : 'warn';
        logger[level]({ reason: this.problem }, `could not refresh the ${label}`);
      }
      const pause = this.kept === undefined ? INITIAL_RETRY_MS : intervalMs;
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
