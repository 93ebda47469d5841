import { setImmediate as nextTurn } from 'node:timers/promises';
import { tryTogether } from '@app/common';
import { FairQueue } from './fair-queue.js';

interface SharedLoaderOptions<Key, Value> {
  /** Returns one value per key, in order. It must settle in bounded time, because later calls wait for it. */
  readonly load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly maxBatchSize: number;
  /** The tenant that waits for a key: waiting tenants take turns in each batch. */
  readonly tenantOf: (key: Key) => string;
  /** The error of a call whose signal aborts before its value is there. */
  readonly createAbortError: () => Error;
}

interface Call<Key, Value> {
  readonly key: Key;
  readonly signal: AbortSignal;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Loads the values of concurrent calls together, one batch at a time and without caching. A key that cannot be loaded fails alone; a
 * 503 of `load` fails all calls of its batch. A call ends with its signal, and is not loaded where it still waited then: while `load` is
 * slow, what nobody waits for any more delays nobody. Tenants take turns in a batch, so that a tenant with thousands of waiting calls
 * delays the call of another tenant by the batch that is running, not by all of its own.
 */
export class SharedLoader<Key, Value> {
  private readonly waiting = new FairQueue<Call<Key, Value>>();
  private isLoading = false;

  constructor(private readonly options: SharedLoaderOptions<Key, Value>) {}

  async load(key: Key, signal: AbortSignal): Promise<Value> {
    const { tenantOf, createAbortError } = this.options;
    if (signal.aborted) throw createAbortError();
    const tenantId = tenantOf(key);
    let abort = (): void => undefined;
    try {
      return await new Promise<Value>((resolve, reject) => {
        const call = { key, signal, resolve, reject };
        abort = () => {
          this.waiting.remove(tenantId, call);
          reject(createAbortError());
        };
        signal.addEventListener('abort', abort);
        this.waiting.add(tenantId, call);
        if (!this.isLoading) void this.loadAll();
      });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Never rejects: each call gets its error. */
  private async loadAll(): Promise<void> {
    this.isLoading = true;
    // Collects the calls of this turn of the event loop.
    await nextTurn();
    while (this.waiting.keyCount > 0) await this.loadBatch(this.takeBatch());
    this.isLoading = false;
  }

  private takeBatch(): Call<Key, Value>[] {
    const batch: Call<Key, Value>[] = [];
    while (batch.length < this.options.maxBatchSize) {
      const call = this.waiting.take();
      if (!call) break;
      batch.push(call);
    }
    return batch;
  }

  private async loadBatch(batch: readonly Call<Key, Value>[]): Promise<void> {
    try {
      const failed = await tryTogether(batch, async (some) => {
        const values = await this.options.load(some.map(({ key }) => key));
        for (const [index, value] of values.entries()) some[index]?.resolve(value);
        for (const { reject } of some.slice(values.length)) reject(this.options.createAbortError());
      });
      for (const { item, error } of failed) item.reject(error);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
