import DataLoader from 'dataloader';

const GATHER_MS = 2;
const MOST_AT_ONCE = 500;

/** Calls of the same few milliseconds as one. Nothing is remembered. @param work one value or error per key, in order */
export function gathering<Key, Value>(
  work: (keys: readonly Key[]) => Promise<(Value | Error)[]>,
): DataLoader<Key, Value> {
  return new DataLoader(work, {
    cache: false,
    maxBatchSize: MOST_AT_ONCE,
    batchScheduleFn: (run) => {
      setTimeout(run, GATHER_MS);
    },
  });
}
