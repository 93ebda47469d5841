import { expect, it } from '@jest/globals';
import { splitBySize } from './split-by-size.js';

it('splitBySize: bounds the number and the size of each part, keeps the order, and leaves a large element alone', () => {
  const split = (list: number[]) => splitBySize(list, (size) => size, { count: 3, size: 10 });
  expect(split([])).toEqual([]);
  expect(split([1, 1, 1, 1])).toEqual([[1, 1, 1], [1]]);
  expect(split([6, 4, 1])).toEqual([[6, 4], [1]]);
  expect(split([1, 50, 1])).toEqual([[1], [50], [1]]);
});
