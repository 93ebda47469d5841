import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { RefreshingCache } from './refreshing-cache.js';

describe('RefreshingCache', () => {
  let loads: ((value: number | Promise<never>) => void)[];
  let replaced: [number, number | undefined][];
  let cache: RefreshingCache<number>;

  beforeEach(() => {
    [loads, replaced] = [[], []];
    cache = new RefreshingCache({
      label: 'numbers',
      load: () => new Promise<number>((resolve) => loads.push(resolve)),
      onReplaced: (...pair) => replaced.push(pair),
      intervalMs: 60_000,
      logger: pino({ enabled: false }),
    });
  });

  it('RefreshingCache: keeps the value of the load that started last, whichever finishes first', async () => {
    const both = [cache.refresh(), cache.refresh()];
    const [first, second] = loads;
    second?.(2);
    await turn();
    expect(cache.current).toBe(2);
    first?.(1);
    await Promise.all(both);
    expect(cache.current).toBe(2);
    expect(replaced).toEqual([[2, undefined]]);
  });

  it('RefreshingCache: never returns to an earlier value, in whatever order loads finish', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), async (order) => {
        [loads, replaced] = [[], []];
        const refreshes = order.map(() => cache.refresh());
        for (const index of order) {
          loads[index]?.(index);
          await turn();
          expect(cache.current).toBe(Math.max(...order.slice(0, order.indexOf(index) + 1)));
        }
        await Promise.all(refreshes);
      }),
    );
  });

  it('RefreshingCache: keeps its value when the next load fails', async () => {
    const good = cache.refresh();
    loads[0]?.(7);
    await good;
    const bad = cache.refresh();
    loads[1]?.(Promise.reject(new Error('unavailable')));
    await expect(bad).rejects.toThrow('unavailable');
    expect(cache.current).toBe(7);
  });
});
