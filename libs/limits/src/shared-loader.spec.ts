import { describe, expect, it } from '@jest/globals';
import { serviceUnavailable } from '@app/common';
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
    tenantOf: (key) => (key < 1_000 ? 'one' : 'other'),
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
      tenantOf: () => 'one',
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

describe('SharedLoader', () => {
  const never = new AbortController().signal;

  it('SharedLoader: takes calls of waiting tenants in turn, so that a tenant with many calls delays another by the running batch only', async () => {
    const { loader, batches, begun } = createHeldLoader();
    const flood = Array.from({ length: 250 }, (_, key) => loader.load(key, never));
    await begun(1);
    const victims = [1_000, 1_001].map((key) => loader.load(key, never));
    batches[0]?.settle(batches[0].keys);
    await begun(2);
    expect(batches[1]?.keys.slice(0, 5)).toEqual([100, 1_000, 101, 1_001, 102]);
    batches[1]?.settle(batches[1].keys);
    expect(await Promise.all(victims)).toEqual([1_000, 1_001]);
    await begun(3);
    batches[2]?.settle(batches[2].keys);
    expect(await Promise.all(flood)).toEqual(Array.from({ length: 250 }, (_, key) => key));
  });

  it('SharedLoader: fails a call whose value is not among those that were loaded', async () => {
    const { loader, batches, begun } = createHeldLoader();
    const calls = [loader.load(1, never), loader.load(2, never)];
    await begun(1);
    batches[0]?.settle([10]);
    expect(await calls[0]).toBe(10);
    await expect(calls[1]).rejects.toThrow('aborted');
  });
});
