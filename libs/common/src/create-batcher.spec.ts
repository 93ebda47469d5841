import { setImmediate as turnOfTheLoop, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createBatcher } from './create-batcher.js';

/** Work that is held up until it is let go. */
function heldWork() {
  const batches: (readonly number[])[] = [];
  const letGo: (() => void)[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const gathered = createBatcher(async (keys: readonly number[]) => {
    batches.push(keys);
    mostUnderWay = Math.max(mostUnderWay, (underWay += 1));
    await new Promise<void>((resolve) => letGo.push(resolve));
    underWay -= 1;
    return keys.map((key) => key * 2);
  });
  const begun = async (count: number): Promise<void> => {
    while (batches.length < count) await turnOfTheLoop();
  };
  return { gathered, batches, letGo, begun, most: () => mostUnderWay };
}

describe('gathering', () => {
  it('makes one of what is asked for together, and answers each its own', async () => {
    const { gathered, batches, letGo, begun } = heldWork();
    const answers = Promise.all([3, 1, 3].map((key) => gathered.load(key)));
    await begun(1);
    letGo[0]?.();
    expect(await answers).toEqual([6, 2, 6]);
    expect(batches).toEqual([[3, 1, 3]]);
  });

  it('has one under way, and gathers the next until it is back', async () => {
    const { gathered, batches, letGo, begun, most } = heldWork();
    const answers = [gathered.load(0)];
    await begun(1);
    for (const key of [1, 2, 3]) {
      answers.push(gathered.load(key));
      await sleep(10);
    }
    expect(batches).toEqual([[0]]);
    letGo[0]?.();
    await begun(2);
    letGo[1]?.();
    expect(await Promise.all(answers)).toEqual([0, 2, 4, 6]);
    expect(batches).toEqual([[0], [1, 2, 3]]);
    expect(most()).toBe(1);
  });

  it('tells a failure to those it concerns, and goes on', async () => {
    let isBroken = true;
    const gathered = createBatcher((keys: readonly string[]) => {
      if (isBroken) throw new Error('broken');
      return Promise.resolve(keys.map((key) => (key === 'odd' ? new Error('odd') : key)));
    });
    await expect(gathered.load('a')).rejects.toThrow('broken');
    isBroken = false;
    const [odd, even] = await Promise.allSettled([gathered.load('odd'), gathered.load('even')]);
    expect(odd.status).toBe('rejected');
    expect(even).toEqual({ status: 'fulfilled', value: 'even' });
  });

  it('never takes more than it may, and loses nothing', async () => {
    const counts = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(counts, counts, async (calls, most) => {
        const sizes: number[] = [];
        const gathered = createBatcher(
          (keys: readonly number[]) => {
            sizes.push(keys.length);
            return Promise.resolve(keys);
          },
          { maxBatchSize: most },
        );
        const keys = Array.from({ length: calls }, (_, index) => index);
        expect(await Promise.all(keys.map((key) => gathered.load(key)))).toEqual(keys);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
        expect(sizes).toHaveLength(Math.ceil(calls / most));
      }),
      { numRuns: 30 },
    );
  });
});
