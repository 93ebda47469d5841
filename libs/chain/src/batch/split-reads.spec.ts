import { describe, expect, it } from '@jest/globals';
import type { EvmAddress } from '@app/dto';
import fc from 'fast-check';
import { type ReadWaiter, ReadGroup } from './fair-read-queue.js';
import { type AwaitedReadCall, splitReads } from './split-reads.js';

/** Each tenant has two callers. */
const groups = Array.from({ length: 40 }, (_, index) => new ReadGroup(1, `tenant ${index >> 1}`));
const strangers = new ReadGroup(1);
const contract = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
/** A read that one or more callers wait for. */
const read = (callers: number | readonly number[], to: number): AwaitedReadCall => {
  let waiter: ReadWaiter | undefined;
  for (const caller of [callers].flat())
    waiter = { group: groups[caller] ?? strangers, index: 0, next: waiter };
  return { waiter: waiter ?? { group: strangers, index: 0, next: undefined }, to: contract(to), data: '' };
};
const getIndices = (reads: readonly AwaitedReadCall[]): number[] => reads.map((_, index) => index);
const repeat = (count: number, one: AwaitedReadCall): AwaitedReadCall[] =>
  Array<AwaitedReadCall>(count).fill(one);

describe('splitReads', () => {
  it('splitReads: splits by tenant first, so that many callers of one tenant are one part', () => {
    const reads = [read(0, 1), read(2, 2), read(1, 3), read(3, 4), read(0, 5)];
    expect(splitReads(reads, getIndices(reads))).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
  });

  it('splitReads: separates the reads that several tenants wait for from those of one of them', () => {
    const reads = [
      read(0, 1),
      read([0, 2], 1),
      read(2, 1),
      read([3, 1, 0], 1),
      read([0, 4], 1),
      read([0, 1], 1),
    ];
    expect(splitReads(reads, getIndices(reads))).toEqual([[0, 5], [1, 3], [2], [4]]);
  });

  it('splitReads: splits the reads of one tenant by caller', () => {
    const reads = [read(0, 1), read(1, 1), read(0, 2)];
    expect(splitReads(reads, getIndices(reads))).toEqual([[0, 2], [1]]);
  });

  it('splitReads: gives the largest tenant a part of its own', () => {
    const small = Array.from({ length: 30 }, (_, group) => read(group + 2, 1));
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

  it('splitReads: splits the reads of one caller by contract', () => {
    const reads = [...repeat(5, read(0, 1)), ...repeat(300, read(0, 2)), ...repeat(5, read(0, 3))];
    expect(splitReads(reads, getIndices(reads)).map(({ length }) => length)).toEqual([5, 300, 5]);
  });

  it('splitReads: halves the reads of one contract', () => {
    const reads = repeat(7, read(0, 1));
    expect(splitReads(reads, getIndices(reads))).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('splitReads: returns two to eight smaller parts that contain every read once', () => {
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
