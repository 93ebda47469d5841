import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listBlockRanges } from './list-block-ranges.js';

describe('listBlockRanges', () => {
  it('covers the newest blocks once, at most 2,000 in a range', () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(20_000), (newest, count) => {
        const ranges = [...listBlockRanges(BigInt(newest), count)];
        let next = BigInt(newest);
        for (const { fromBlock, toBlock } of ranges) {
          expect(toBlock).toBe(next);
          expect(toBlock - fromBlock).toBeLessThan(2_000n);
          expect(toBlock - fromBlock).toBeGreaterThanOrEqual(0n);
          next = fromBlock - 1n;
        }
        expect(next).toBe(BigInt(Math.max(newest - count, -1)));
      }),
    );
  });
});
