import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { RefreshingCache } from './refreshing-cache.js';

describe('what is kept fresh', () => {
  let answers: ((value: number | Promise<never>) => void)[];
  let replaced: [number, number | undefined][];
  let kept: RefreshingCache<number>;

  beforeEach(() => {
    [answers, replaced] = [[], []];
    kept = new RefreshingCache({
      label: 'numbers',
      load: () => new Promise<number>((resolve) => answers.push(resolve)),
      onReplaced: (...pair) => replaced.push(pair),
      intervalMs: 60_000,
      logger: pino({ enabled: false }),
    });
  });

  it('is the answer to the question that was asked last, whichever comes first', async () => {
    const both = [kept.refresh(), kept.refresh()];
    const [first, second] = answers;
    second?.(2);
    await turn();
    expect(kept.current).toBe(2);
    first?.(1);
    await Promise.all(both);
    expect(kept.current).toBe(2);
    expect(replaced).toEqual([[2, undefined]]);
  });

  it('never goes back, in whatever order answers come in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), async (order) => {
        [answers, replaced] = [[], []];
        const asked = order.map(() => kept.refresh());
        for (const at of order) {
          answers[at]?.(at);
          await turn();
          expect(kept.current).toBe(Math.max(...order.slice(0, order.indexOf(at) + 1)));
        }
        await Promise.all(asked);
      }),
    );
  });

  it('stays when the next reading fails', async () => {
    const good = kept.refresh();
    answers[0]?.(7);
    await good;
    const bad = kept.refresh();
    answers[1]?.(Promise.reject(new Error('away')));
    await expect(bad).rejects.toThrow('away');
    expect(kept.current).toBe(7);
  });
});
