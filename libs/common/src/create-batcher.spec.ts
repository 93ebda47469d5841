import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createBatcher } from './create-batcher.js';

/** A batcher whose batches wait until the test releases them. */
function createHeldBatcher() {
  const batches: (readonly number[])[] = [];
  const releases: (() => void)[] = [];
  let running = 0;
  let maxRunning = 0;
  const batcher = createBatcher(async (keys: readonly number[]) => {
    batches.push(keys);
    maxRunning = Math.max(maxRunning, (running += 1));
    await new Promise<void>((resolve) => releases.push(resolve));
    running -= 1;
    return keys.map((key) => key * 2);
  });
  const started = async (count: number): Promise<void> => {
    while (batches.length < count) await nextTurn();
  };
  return { batcher, batches, releases, started, getMaxRunning: () => maxRunning };
}

describe('createBatcher', () => {
  it('createBatcher: loads concurrent keys in one batch and returns each its own value', async () => {
    const { batcher, batches, releases, started } = createHeldBatcher();
    const answers = Promise.all([3, 1, 3].map((key) => batcher.load(key)));
    await started(1);
    releases[0]?.();
    expect(await answers).toEqual([6, 2, 6]);
    expect(batches).toEqual([[3, 1, 3]]);
  });

  it('createBatcher: runs one batch at a time and collects the next one meanwhile', async () => {
    const { batcher, batches, releases, started, getMaxRunning } = createHeldBatcher();
    const answers = [batcher.load(0)];
    await started(1);
    for (const key of [1, 2, 3]) {
      answers.push(batcher.load(key));
      await sleep(10);
    }
    expect(batches).toEqual([[0]]);
    releases[0]?.();
    await started(2);
    releases[1]?.();
    expect(await Promise.all(answers)).toEqual([0, 2, 4, 6]);
    expect(batches).toEqual([[0], [1, 2, 3]]);
    expect(getMaxRunning()).toBe(1);
  });

  it('createBatcher: collects until what it has asked at the beginning of a batch resolves', async () => {
    const batches: (readonly number[])[] = [];
    const ends: (() => void)[] = [];
    const batcher = createBatcher(
      (keys: readonly number[]) => {
        batches.push(keys);
        return Promise.resolve(keys);
      },
      { batchWindowMs: () => new Promise<void>((resolve) => ends.push(resolve)) },
    );
    const first = batcher.load(1);
    await sleep(20);
    const second = batcher.load(2);
    expect([batches, ends.length]).toEqual([[], 1]);
    ends[0]?.();
    await Promise.all([first, second]);
    expect(batches).toEqual([[1, 2]]);
  });

  it('createBatcher: collects without a window to the end of the turn, also while other batches run in parallel', async () => {
    const batches: (readonly number[])[] = [];
    const releases: (() => void)[] = [];
    const batcher = createBatcher(
      async (keys: readonly number[]) => {
        batches.push(keys);
        await new Promise<void>((resolve) => releases.push(resolve));
        return keys;
      },
      { batchWindowMs: 0, isParallel: true },
    );
    const first = [batcher.load(1), batcher.load(2)];
    await nextTurn();
    await nextTurn();
    const second = batcher.load(3);
    await nextTurn();
    await nextTurn();
    expect(batches).toEqual([[1, 2], [3]]);
    releases[1]?.();
    expect(await second).toBe(3);
    releases[0]?.();
    expect(await Promise.all(first)).toEqual([1, 2]);
  });

  it('createBatcher: rejects only the calls that failed, and continues', async () => {
    let isBroken = true;
    const batcher = createBatcher((keys: readonly string[]) => {
      if (isBroken) throw new Error('broken');
      return Promise.resolve(keys.map((key) => (key === 'odd' ? new Error('odd') : key)));
    });
    await expect(batcher.load('a')).rejects.toThrow('broken');
    isBroken = false;
    const [odd, even] = await Promise.allSettled([batcher.load('odd'), batcher.load('even')]);
    expect(odd.status).toBe('rejected');
    expect(even).toEqual({ status: 'fulfilled', value: 'even' });
  });

  it('createBatcher: respects the maximum batch size and loses no key', async () => {
    const counts = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(counts, counts, async (calls, maxBatchSize) => {
        const sizes: number[] = [];
        const batcher = createBatcher(
          (keys: readonly number[]) => {
            sizes.push(keys.length);
            return Promise.resolve(keys);
          },
          { maxBatchSize },
        );
        const keys = Array.from({ length: calls }, (_, index) => index);
        expect(await Promise.all(keys.map((key) => batcher.load(key)))).toEqual(keys);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(maxBatchSize);
        expect(sizes).toHaveLength(Math.ceil(calls / maxBatchSize));
      }),
      { numRuns: 30 },
    );
  });
});
