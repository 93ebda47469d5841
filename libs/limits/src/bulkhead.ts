import { FairQueue } from './fair-queue.js';

export interface BulkheadOptions {
  /** Work in progress of all keys together. Default: only each key is bounded. */
  readonly max?: number;
  /** Work in progress of one key, also as a function of the places that are free of `max`. Default: `max`. */
  readonly maxPerKey?: number | ((free: number) => number);
  /** Work of one key that waits; further work is refused. Default: no work waits. */
  readonly maxWaitingPerKey?: number;
  /** Among keys whose work waits the one with the least use is next. Default: keys take turns. */
  readonly useOf?: (key: string) => number;
  /** Default: `BulkheadFullError`. */
  readonly createFullError?: () => Error;
}

export class BulkheadFullError extends Error {
  override readonly name = 'BulkheadFullError';

  constructor() {
    super('too much work is waiting already');
  }
}

/** Bounds how much work of one key, such as a tenant, and of all keys is in progress at once. */
export class Bulkhead {
  private readonly countByKey = new Map<string, number>();
  private readonly waiting: FairQueue<() => void>;
  private total = 0;

  constructor(private readonly options: BulkheadOptions) {
    this.waiting = new FairQueue(options.useOf);
  }

  /** Work in progress. */
  get size(): number {
    return this.total;
  }

  /** Places that are left for work of any key. */
  get free(): number {
    return (this.options.max ?? Infinity) - this.total;
  }

  /** Work in progress of a key. */
  countOf(key: string): number {
    return this.countByKey.get(key) ?? 0;
  }

  hasRoom(key: string): boolean {
    const { free } = this;
    const { maxPerKey = Infinity } = this.options;
    return free > 0 && this.countOf(key) < (typeof maxPerKey === 'number' ? maxPerKey : maxPerKey(free));
  }

  /**
   * Runs work when there is a place for it.
   * @throws the error of `createFullError` when too much work of the key waits already
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.hasRoom(key)) this.acquire(key);
    else await this.waitForPlace(key);
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  /** Takes a place without asking for room: call `hasRoom` first. */
  acquire(key: string): void {
    this.total += 1;
    this.countByKey.set(key, this.countOf(key) + 1);
  }

  /** Gives a place back, to work that waits if there is any. */
  release(key: string): void {
    this.total -= 1;
    const count = this.countOf(key) - 1;
    if (count > 0) this.countByKey.set(key, count);
    else this.countByKey.delete(key);
    // Without a common bound only work of the same key has got room, however many other keys wait.
    const next =
      this.options.max === undefined
        ? this.waiting.takeFrom(key)
        : this.waiting.take((waitingKey) => this.hasRoom(waitingKey));
    next?.();
  }

  private waitForPlace(key: string): Promise<void> {
    const { maxWaitingPerKey = 0, createFullError = () => new BulkheadFullError() } = this.options;
    if (this.waiting.countOf(key) >= maxWaitingPerKey) throw createFullError();
    return new Promise((resolve) => {
      this.waiting.add(key, () => {
        this.acquire(key);
        resolve();
      });
    });
  }
}
