import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findHeadOutliers, isExplained, toHeadRule } from './find-head-outliers.js';

const NOW_MS = 1_800_000_000_000;
const rule = toHeadRule(3n, 12_000);
/** @param ageSeconds age of the block */
const head = (number: number, ageSeconds: number) => ({
  number: BigInt(number),
  timestamp: BigInt(NOW_MS / 1_000 - ageSeconds),
});

describe('findHeadOutliers', () => {
  it('findHeadOutliers: names a head far above others that are fresh, of two nodes or more', () => {
    const liar = head(2_000, 0);
    expect([...findHeadOutliers([liar, head(1_000, 10)], rule, NOW_MS)]).toEqual([0]);
    expect([...findHeadOutliers([head(1_000, 10), liar, head(999, 20)], rule, NOW_MS)]).toEqual([1]);
    expect([...findHeadOutliers([liar, head(1_000, 10), undefined, head(1_500, 0)], rule, NOW_MS)]).toEqual([
      0, 3,
    ]);
  });

  it('findHeadOutliers: names no head that the age of the others explains, and not that of a single node', () => {
    expect(findHeadOutliers([head(1_050, 10), head(1_000, 610)], rule, NOW_MS).size).toBe(0);
    expect(findHeadOutliers([head(1_003, 0), head(1_000, 0)], rule, NOW_MS).size).toBe(0);
    expect(findHeadOutliers([head(1_000_000, 0), undefined], rule, NOW_MS).size).toBe(0);
    expect(findHeadOutliers([], rule, NOW_MS).size).toBe(0);
  });

  it('findHeadOutliers: never names all nodes, nor an honest one beside another honest one', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.nat(100),
        fc.nat(10_000),
        fc.integer({ min: -5_000, max: 5_000 }),
        (firstAge, secondAge, lie, extra) => {
          // Twelve seconds a block: nodes that are so many blocks behind have heads of that age.
          const honest = [firstAge, secondAge].map((blocks) => head(20_000 - blocks, 12 * blocks));
          const outliers = findHeadOutliers([...honest, head(20_000 + extra, lie)], rule, NOW_MS);
          expect(outliers.has(0) && outliers.has(1)).toBe(false);
          if (extra <= 0 && lie >= -12 * extra) expect(outliers.size).toBe(0);
        },
      ),
    );
  });
});

describe('isExplained', () => {
  it('isExplained: allows more blocks of chains whose block time is not known', () => {
    expect(isExplained(head(1_000, 10), 1_083n, toHeadRule(3n, undefined), NOW_MS)).toBe(true);
    expect(isExplained(head(1_000, 10), 1_084n, toHeadRule(3n, undefined), NOW_MS)).toBe(false);
    expect(isExplained(head(1_000, 10), 1_024n, toHeadRule(3n, 0), NOW_MS)).toBe(false);
  });
});
