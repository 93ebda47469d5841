import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';

const GATHER_MS = 2;
const MOST_AT_ONCE = 500;

export interface GatheringOptions {
  mostAtOnce?: number;
  /** How long a batch waits for company. */
  gatherMs?: number;
}

/**
 * Calls of the same few milliseconds as one, and one at a time: what comes meanwhile waits for the next, so that work
 * which becomes slow is done in larger pieces and not in more of them. Nothing is remembered.
 * @param work one value or error per key, in order. It has to settle in bounded time: everybody else waits for it
 */
export function gathering<Key, Value>(
  work: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  { mostAtOnce = MOST_AT_ONCE, gatherMs = GATHER_MS }: GatheringOptions = {},
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
      const gathered = sleep(gatherMs);
      turn = Promise.all([turn, gathered]).then(() => {
        run();
        return underWay;
      });
    },
  });
}
