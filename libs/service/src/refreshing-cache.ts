import { setTimeout as sleep } from 'node:timers/promises';
import { formatErrorReason } from '@app/common';
import type { Logger } from './observability/logger.js';

const INITIAL_RETRY_MS = 1_000;

export interface RefreshingCacheOptions<T> {
  /** The name in log lines. */
  label: string;
  load: () => Promise<T>;
  /** Called after each load. */
  onReplaced?: (fresh: T, previous: T | undefined) => void;
  intervalMs: number;
  logger: Logger;
}

/** Holds a value in memory and reloads it in the background. While loading fails the last value stays. */
export class RefreshingCache<T> {
  private value: T | undefined;
  private lastError = 'not loaded yet';
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private startedLoads = 0;
  /** The number of the load that returned `value`. */
  private valueLoad = 0;

  constructor(private readonly options: RefreshingCacheOptions<T>) {}

  /** Undefined before the first load. */
  get current(): T | undefined {
    return this.value;
  }

  /** Readiness check. @throws Error with the reason when nothing is loaded */
  check(): void {
    if (this.value === undefined) throw new Error(this.lastError);
  }

  start(): void {
    this.loop = this.runLoop();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** Loads the value now. Of concurrent loads the one that started last wins. */
  async refresh(): Promise<void> {
    this.startedLoads += 1;
    const load = this.startedLoads;
    const fresh = await this.options.load();
    if (load < this.valueLoad) return;
    this.valueLoad = load;
    const previous = this.value;
    this.value = fresh;
    this.options.onReplaced?.(fresh, previous);
  }

  private async runLoop(): Promise<void> {
    const { label, intervalMs, logger } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.refresh();
      } catch (error) {
        this.lastError = formatErrorReason(error);
        // The database may not be connected yet; until the first load the readiness check has the reason.
        const level = this.value === undefined ? 'debug' : 'warn';
        logger[level]({ reason: this.lastError }, `refreshing the ${label} failed`);
      }
      const pause = this.value === undefined ? INITIAL_RETRY_MS : intervalMs;
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
