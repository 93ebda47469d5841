import { describe, expect, it } from '@jest/globals';
import type { EvmAddress } from '@app/dto';
import fc from 'fast-check';
import type { ReadCall } from '../reads/evm/contract-read.js';
import { type PendingRead, ReadGroup, type ReadWaiter } from './fair-read-queue.js';
import { splitReads } from './split-reads.js';

/** Each tenant has two callers. */
const groups = Array.from({ length: 40 }, (_, index) => new ReadGroup(1, `tenant ${index >> 1}`));
const strangers = new ReadGroup(1);
const contract = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
/** A read that one or more callers wait for. */
const read = (callers: number | readonly number[], to: number): PendingRead<ReadCall> => {
  let waiter: ReadWaiter | undefined;
  for (const caller of [callers].flat())
    waiter = { group: groups[caller] ?? strangers, index: 0, next: waiter };
  return {
    call: { to: contract(to), data: '' },
    key: '',
    block: undefined,
    waiter: waiter ?? { group: strangers, index: 0, next: undefined },
  };
};
const getIndices = (reads: readonly PendingRead<ReadCall>[]): number[] => reads.map((_, index) => index);
/** The parts as positions in the list. */
const split = (reads: readonly PendingRead<ReadCall>[]): number[][] => {
  const positions = new Map(reads.map((one, index) => [one, index]));
  return splitReads(reads).map((part) => part.map((one) => positions.get(one) ?? -1));
};
const repeat = (count: number, one: PendingRead<ReadCall>): PendingRead<ReadCall>[] =>
  Array.from({ length: count }, () => ({ ...one }));

describe('splitReads', () => {
  it('splitReads: splits by tenant first, so that many callers of one tenant are one part', () => {
    const reads = [read(0, 1), read(2, 2), read(1, 3), read(3, 4), read(0, 5)];
    expect(split(reads)).toEqual([
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
    expect(split(reads)).toEqual([[0, 5], [1, 3], [2], [4]]);
  });

  it('splitReads: splits the reads of one tenant by caller', () => {
    const reads = [read(0, 1), read(1, 1), read(0, 2)];
    expect(split(reads)).toEqual([[0, 2], [1]]);
  });

  it('splitReads: gives the largest tenant a part of its own', () => {
    const small = Array.from({ length: 30 }, (_, group) => read(group + 2, 1));
    const reads = [...small, ...repeat(200, read(0, 2))];
    const parts = split(reads);
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
    expect(split(reads).map(({ length }) => length)).toEqual([5, 300, 5]);
  });

  it('splitReads: halves the reads of one contract', () => {
    const reads = repeat(7, read(0, 1));
    expect(split(reads)).toEqual([
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
        const parts = split(list);
        expect(parts.flat().sort((a, b) => a - b)).toEqual(getIndices(list));
        expect(parts.length).toBeGreaterThanOrEqual(2);
        expect(parts.length).toBeLessThanOrEqual(8);
        expect(parts.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });
});
