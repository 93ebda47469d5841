import { createBatcher } from './create-batcher.js';
import { tryTogether } from './try-together.js';

interface SharedLoaderOptions<Key, Value> {
  /** Returns one value per key, in order. It must settle in bounded time, because later calls wait for it. */
  readonly load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly maxBatchSize: number;
  /** The error of a call whose signal aborts before its value is there. */
  readonly createAbortError: () => Error;
}

interface Call<Key> {
  readonly key: Key;
  readonly signal: AbortSignal;
}

/**
 * Loads the values of concurrent calls together, one batch at a time and without caching. A key that cannot be loaded fails alone; a
 * 503 of `load` fails all calls of its batch. A call ends with its signal, and is not loaded where it still waited then: while `load` is
 * slow, what nobody waits for any more delays nobody.
 */
export class SharedLoader<Key, Value> {
  private readonly calls;

  constructor(private readonly options: SharedLoaderOptions<Key, Value>) {
    this.calls = createBatcher((calls: readonly Call<Key>[]) => this.loadTogether(calls), {
      batchWindowMs: 0,
      maxBatchSize: options.maxBatchSize,
    });
  }

  async load(key: Key, signal: AbortSignal): Promise<Value> {
    if (signal.aborted) throw this.options.createAbortError();
    let abort = (): void => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      abort = () => {
        reject(this.options.createAbortError());
      };
    });
    signal.addEventListener('abort', abort);
    try {
      return await Promise.race([this.calls.load({ key, signal }), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  private async loadTogether(calls: readonly Call<Key>[]): Promise<(Value | Error)[]> {
    const outcomes = new Map<Call<Key>, { readonly outcome: Value | Error }>();
    const awaited = calls.filter(({ signal }) => !signal.aborted);
    const failed = await tryTogether(awaited, async (some) => {
      const values = await this.options.load(some.map(({ key }) => key));
      for (const [index, outcome] of values.entries()) {
        const call = some[index];
        if (call) outcomes.set(call, { outcome });
      }
    });
    for (const { item, error } of failed)
      outcomes.set(item, { outcome: error instanceof Error ? error : new Error(String(error)) });
    return calls.map((call) => {
      const loaded = outcomes.get(call);
      return loaded ? loaded.outcome : this.options.createAbortError();
    });
  }
}
