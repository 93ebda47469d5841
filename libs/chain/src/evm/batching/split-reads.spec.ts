import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Address } from '../codec/abi-encode.js';
import { type GroupedReadCall, splitReads } from './split-reads.js';

const owners = Array.from({ length: 40 }, () => ({}));
const contract = (index: number): Address => `0x${index.toString(16).padStart(40, '0')}`;
const read = (owner: number, to: number): GroupedReadCall => ({
  group: owners[owner] ?? owners,
  to: contract(to),
  data: '',
});
const indicesOf = (reads: readonly GroupedReadCall[]): number[] => reads.map((_, index) => index);
const repeat = (count: number, one: GroupedReadCall): GroupedReadCall[] =>
  Array<GroupedReadCall>(count).fill(one);

describe('a batch that failed', () => {
  it('is taken apart by owner first, and the one who asked for the most is alone', () => {
    const strangers = Array.from({ length: 30 }, (_, owner) => read(owner + 1, 1));
    const reads = [...strangers, ...repeat(200, read(0, 2))];
    const parts = splitReads(reads, indicesOf(reads));
    expect(parts[0]).toHaveLength(200);
    expect(
      parts
        .slice(1)
        .flat()
        .every((index) => index < 30),
    ).toBe(true);
  });

  it('is taken apart by contract next', () => {
    const reads = [...repeat(5, read(0, 1)), ...repeat(300, read(0, 2)), ...repeat(5, read(0, 3))];
    expect(splitReads(reads, indicesOf(reads)).map(({ length }) => length)).toEqual([5, 300, 5]);
  });

  it('is halved when it is all the same', () => {
    const reads = repeat(7, read(0, 1));
    expect(splitReads(reads, indicesOf(reads))).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('loses nothing, becomes smaller, and falls into a few parts', () => {
    const reads = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 0, max: 60 }))
        .map(([owner, to]) => read(owner, to)),
      { minLength: 2, maxLength: 200 },
    );
    fc.assert(
      fc.property(reads, (list) => {
        const parts = splitReads(list, indicesOf(list));
        expect(parts.flat().sort((a, b) => a - b)).toEqual(indicesOf(list));
        expect(parts.length).toBeGreaterThanOrEqual(2);
        expect(parts.length).toBeLessThanOrEqual(8);
        expect(parts.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });
});
