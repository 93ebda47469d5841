import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';

const DEFAULT_BATCH_WINDOW_MS = 2;
const DEFAULT_MAX_BATCH_SIZE = 500;

export interface BatcherOptions {
  maxBatchSize?: number;
  /** How long a batch waits for company. */
  batchWindowMs?: number;
}

/**
 * Calls of the same few milliseconds as one, and one at a time: what comes meanwhile waits for the next, so that work
 * which becomes slow is done in larger pieces and not in more of them. Nothing is remembered.
 * @param work one value or error per key, in order. It has to settle in bounded time: everybody else waits for it
 */
export function createBatcher<Key, Value>(
  work: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  {
    maxBatchSize: mostAtOnce = DEFAULT_MAX_BATCH_SIZE,
    batchWindowMs = DEFAULT_BATCH_WINDOW_MS,
  }: BatcherOptions = {},
): DataLoader<Key, Value> {
  let turn = Promise.resolve();
  let underWay = Promise.resolve();
  const noteEnd = () => undefined;

  async function workInTurn(keys: readonly Key[]): Promise<readonly (Value | Error)[]> {
    const done = work(keys);
    underWay = done.then(noteEnd, noteEnd); // the failure is told to whoever called
    return done;
  }

  return new DataLoader(workInTurn, {
    cache: false,
    maxBatchSize: mostAtOnce,
    batchScheduleFn: (run) => {
      const gathered = sleep(batchWindowMs);
      turn = Promise.all([turn, gathered]).then(() => {
        run();
        return underWay;
      });
    },
  });
}
