import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { serviceUnavailable } from './errors.js';
import { tryTogether } from './try-together.js';

describe('tryTogether', () => {
  it('tryTogether: does the work of every item but those that fail alone, whichever these are', async () => {
    const cases = fc.uniqueArray(fc.nat(200), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cases, fc.func(fc.boolean()), async (items, isPoisonedBy) => {
        const isPoisoned = (item: number) => isPoisonedBy(item);
        const done: number[] = [];
        const failed = await tryTogether(items, (some) => {
          if (some.some(isPoisoned)) return Promise.reject(new Error('poisoned'));
          done.push(...some);
          return Promise.resolve();
        });
        expect(done).toEqual(items.filter((item) => !isPoisoned(item)));
        expect(failed.map(({ item }) => item)).toEqual(items.filter(isPoisoned));
      }),
    );
  });

  it('tryTogether: finds one bad item among 500 with twenty calls, and needs one without a bad item', async () => {
    const items = Array.from({ length: 500 }, (_, index) => index);
    for (const [bad, most] of [
      [333, 20],
      [-1, 1],
    ] as const) {
      let calls = 0;
      await tryTogether(items, (some) => {
        calls += 1;
        return some.includes(bad) ? Promise.reject(new Error('poisoned')) : Promise.resolve();
      });
      expect(calls).toBeLessThanOrEqual(most);
    }
  });

  it('tryTogether: fails at once by what is away', async () => {
    const unavailable = serviceUnavailable('test_unavailable', 'Away.');
    let calls = 0;
    const work = tryTogether([1, 2, 3], () => {
      calls += 1;
      return Promise.reject(unavailable);
    });
    await expect(work).rejects.toBe(unavailable);
    expect(calls).toBe(1);
  });
});
