import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { settleTwins } from './settle-twins.js';

/** Runs that create an object each, in this order, and look for others after so many milliseconds. */
async function race(runs: readonly { id: string; delayMs: number }[]): Promise<[string[], string[]]> {
  const objects = new Set<string>();
  const left = runs.map(async ({ id, delayMs }) => {
    await sleep(delayMs);
    objects.add(id);
    return settleTwins({
      ownId: id,
      list: async () => {
        await sleep(1);
        return [...objects];
      },
      removeOwn: async () => {
        await sleep(1);
        objects.delete(id);
      },
    });
  });
  return [await Promise.all(left), [...objects]];
}

it.each([
  ['sees nobody else', [{ id: 'a', delayMs: 0 }]],
  [
    'created last, and has the smallest id',
    [
      { id: 'b', delayMs: 0 },
      { id: 'a', delayMs: 30 },
    ],
  ],
  [
    'created at the same moment',
    [
      { id: 'c', delayMs: 0 },
      { id: 'a', delayMs: 0 },
      { id: 'b', delayMs: 0 },
    ],
  ],
  [
    'created between others',
    [
      { id: 'b', delayMs: 0 },
      { id: 'c', delayMs: 30 },
      { id: 'a', delayMs: 60 },
    ],
  ],
])('settleTwins: leaves one object, of which all runs learn, where one %s', async (_case, runs) => {
  const [left, objects] = await race(runs);
  expect(objects).toHaveLength(1);
  expect(new Set(left)).toEqual(new Set(objects));
});
