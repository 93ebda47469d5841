import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';

const DEFAULT_BATCH_WINDOW_MS = 2;
const DEFAULT_MAX_BATCH_SIZE = 500;

export interface BatcherOptions {
  maxBatchSize?: number;
  /** How long a batch collects keys, or what says so when it begins. */
  batchWindowMs?: number | (() => number);
}

/**
 * Batches concurrent calls, without caching. Runs one batch at a time and collects the next one meanwhile, so that slow
 * work leads to larger batches, not to more of them.
 * @param loadBatch one value or error per key, in order. Must settle in bounded time, because later batches wait for it
 */
export function createBatcher<Key, Value>(
  loadBatch: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  { maxBatchSize = DEFAULT_MAX_BATCH_SIZE, batchWindowMs = DEFAULT_BATCH_WINDOW_MS }: BatcherOptions = {},
): DataLoader<Key, Value> {
  let previousBatch = Promise.resolve();
  let currentLoad = Promise.resolve();
  const ignore = () => undefined;

  async function loadTracked(keys: readonly Key[]): Promise<readonly (Value | Error)[]> {
    const result = loadBatch(keys);
    currentLoad = result.then(ignore, ignore); // the callers get the error
    return result;
  }

  return new DataLoader(loadTracked, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (run) => {
      const windowMs = typeof batchWindowMs === 'number' ? batchWindowMs : batchWindowMs();
      previousBatch = Promise.all([previousBatch, sleep(windowMs)]).then(() => {
        run();
        return currentLoad;
      });
    },
  });
}
