import { describe, expect, it } from '@jest/globals';
import { chooseSequence } from './choose-sequence.js';

describe('chooseSequence', () => {
  it.each([
    { next: 0n, taken: [], expected: 0n },
    { next: 3n, taken: [3n, 4n], expected: 5n },
    { next: 3n, taken: [4n, 5n], expected: 3n },
    { next: 3n, taken: [3n, 5n], expected: 4n },
    { next: 7n, taken: [3n, 4n], expected: 7n },
  ])(
    'chooseSequence: is $expected after $taken when the EntryPoint expects $next',
    ({ next, taken, expected }) => {
      expect(chooseSequence(next, taken)).toBe(expected);
    },
  );
});
