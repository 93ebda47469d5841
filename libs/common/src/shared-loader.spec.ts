import { describe, expect, it } from '@jest/globals';
import { serviceUnavailable } from './errors.js';
import { SharedLoader } from './shared-loader.js';

/** A loader whose batches wait until the test settles them. */
function createHeldLoader() {
  const batches: {
    keys: readonly number[];
    settle: (values: readonly number[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const loader = new SharedLoader<number, number>({
    load: (keys) => new Promise((settle, fail) => batches.push({ keys, settle, fail })),
    maxBatchSize: 100,
    createAbortError: () => new Error('aborted'),
  });
  const begun = async (count: number): Promise<void> => {
    while (batches.length < count) await new Promise(setImmediate);
  };
  return { loader, batches, begun };
}

describe('SharedLoader', () => {
  const never = new AbortController().signal;

  it('SharedLoader: ends a call with its signal, and loads nothing for those that ended while they waited', async () => {
    const { loader, batches, begun } = createHeldLoader();
    const stop = new AbortController();
    const first = loader.load(1, stop.signal);
    await begun(1);
    const waiting = [loader.load(2, stop.signal), loader.load(3, never)];
    stop.abort();
    for (const call of [first, waiting[0]]) await expect(call).rejects.toThrow('aborted');
    await expect(loader.load(4, stop.signal)).rejects.toThrow('aborted');
    batches[0]?.settle([1]);
    await begun(2);
    expect(batches[1]?.keys).toEqual([3]);
    batches[1]?.settle([30]);
    expect(await waiting[1]).toBe(30);
  });

  it('SharedLoader: lets a key fail alone that cannot be loaded, and returns values that are undefined', async () => {
    const loader = new SharedLoader<number, number | undefined>({
      load: (keys) =>
        keys.includes(13)
          ? Promise.reject(new Error('odd key'))
          : Promise.resolve(keys.map((key) => (key === 0 ? undefined : key))),
      maxBatchSize: 100,
      createAbortError: () => new Error('aborted'),
    });
    const answers = await Promise.allSettled([0, 1, 13, 2].map((key) => loader.load(key, never)));
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : String(answer.reason))),
    ).toEqual([undefined, 1, 'Error: odd key', 2]);
  });

  it('SharedLoader: fails a whole batch once while what it asks is unavailable', async () => {
    const { loader, batches, begun } = createHeldLoader();
    const calls = [1, 2, 3].map((key) => loader.load(key, never));
    await begun(1);
    batches[0]?.fail(serviceUnavailable('away', 'Away.'));
    for (const call of calls) await expect(call).rejects.toThrow('Away.');
    expect(batches).toHaveLength(1);
  });
});
