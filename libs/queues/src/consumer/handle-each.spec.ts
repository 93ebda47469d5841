import { serviceUnavailable } from '@app/common';
import { expect, it } from '@jest/globals';
import { handleEach, handleTogether } from './handle-each.js';

const unavailable = serviceUnavailable('test_unavailable', 'Away.');

it('handleEach: handles what comes after an item that fails, and fails then', async () => {
  const handled: number[] = [];
  const work = handleEach([1, 2, 3], (item) => {
    handled.push(item);
    return item === 1 ? Promise.reject(new Error('poisoned')) : Promise.resolve();
  });
  await expect(work).rejects.toThrow('poisoned');
  expect(handled).toEqual([1, 2, 3]);
});

it('handleEach: fails by what will pass, if an item fails by that', async () => {
  const failures = [new Error('poisoned'), unavailable];
  await expect(handleEach(failures, (failure) => Promise.reject(failure))).rejects.toBe(unavailable);
});

it('handleTogether: handles all but an item that fails alone, and fails by its error then', async () => {
  const handled: number[] = [];
  const work = handleTogether([1, 2, 3, 4, 5], (some) => {
    if (some.includes(3)) return Promise.reject(new Error(`poisoned among ${some.length}`));
    handled.push(...some);
    return Promise.resolve();
  });
  await expect(work).rejects.toThrow('poisoned among 1');
  expect(handled).toEqual([1, 2, 4, 5]);
});
