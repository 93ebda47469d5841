import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';

const DEFAULT_BATCH_WINDOW_MS = 2;
const DEFAULT_MAX_BATCH_SIZE = 500;

export interface BatcherOptions {
  maxBatchSize?: number;
  /**
   * How long a batch collects keys: 0 until the end of this turn of the event loop. Or what resolves when it has collected them, called
   * when it begins.
   */
  batchWindowMs?: number | (() => Promise<void>);
  /** Whether a batch does not wait for the one before. */
  isParallel?: boolean;
}

/**
 * Batches concurrent calls, without caching. Unless `isParallel`, it runs one batch at a time and collects the next one meanwhile, so
 * that slow work leads to larger batches, not to more of them.
 * @param loadBatch one value or error per key, in order. Must settle in bounded time, because later batches wait for it
 */
export function createBatcher<Key, Value>(
  loadBatch: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  {
    maxBatchSize = DEFAULT_MAX_BATCH_SIZE,
    batchWindowMs = DEFAULT_BATCH_WINDOW_MS,
    isParallel = false,
  }: BatcherOptions = {},
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
      const collected = typeof batchWindowMs === 'number' ? wait(batchWindowMs) : batchWindowMs();
      if (isParallel) {
        void collected.then(run);
        return;
      }
      previousBatch = Promise.all([previousBatch, collected]).then(() => {
        run();
        return currentLoad;
      });
    },
  });
}

/** A timer of 0 ms takes a millisecond, in which a process with nothing else to do is idle. */
const wait = (ms: number): Promise<void> => (ms === 0 ? nextTurn() : sleep(ms));
