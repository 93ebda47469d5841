import { describe, expect, it } from '@jest/globals';
import type { EvmAddress } from '@app/dto';
import fc from 'fast-check';
import { type GroupedReadCall, splitReads } from './split-reads.js';

const groups = Array.from({ length: 40 }, () => ({}));
const contract = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
const read = (group: number, to: number): GroupedReadCall => ({
  group: groups[group] ?? groups,
  to: contract(to),
  data: '',
});
const getIndices = (reads: readonly GroupedReadCall[]): number[] => reads.map((_, index) => index);
const repeat = (count: number, one: GroupedReadCall): GroupedReadCall[] =>
  Array<GroupedReadCall>(count).fill(one);

describe('splitReads', () => {
  it('splits by caller first, and gives the largest caller a part of its own', () => {
    const small = Array.from({ length: 30 }, (_, group) => read(group + 1, 1));
    const reads = [...small, ...repeat(200, read(0, 2))];
    const parts = splitReads(reads, getIndices(reads));
    expect(parts[0]).toHaveLength(200);
    expect(
      parts
        .slice(1)
        .flat()
        .every((index) => index < 30),
    ).toBe(true);
  });

  it('splits the reads of one caller by contract', () => {
    const reads = [...repeat(5, read(0, 1)), ...repeat(300, read(0, 2)), ...repeat(5, read(0, 3))];
    expect(splitReads(reads, getIndices(reads)).map(({ length }) => length)).toEqual([5, 300, 5]);
  });

  it('halves the reads of one contract', () => {
    const reads = repeat(7, read(0, 1));
    expect(splitReads(reads, getIndices(reads))).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('returns two to eight smaller parts that contain every read once', () => {
    const reads = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 0, max: 60 }))
        .map(([group, to]) => read(group, to)),
      { minLength: 2, maxLength: 200 },
    );
    fc.assert(
      fc.property(reads, (list) => {
        const parts = splitReads(list, getIndices(list));
        expect(parts.flat().sort((a, b) => a - b)).toEqual(getIndices(list));
        expect(parts.length).toBeGreaterThanOrEqual(2);
        expect(parts.length).toBeLessThanOrEqual(8);
        expect(parts.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });
});
