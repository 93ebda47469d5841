import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpFees } from './transaction-fees.js';

const fees = fc.record({
  maxFeePerGas: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  maxPriorityFeePerGas: fc.bigInt({ min: 0n, max: 10n ** 15n }),
});

describe('bumpFees', () => {
  it('raises both fees by a tenth or more, and at least to the current ones', () => {
    fc.assert(
      fc.property(fees, fees, (previous, current) => {
        const bumped = bumpFees(previous, current);
        for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
          expect(bumped[fee] * 10n).toBeGreaterThanOrEqual(previous[fee] * 11n);
          expect(bumped[fee]).toBeGreaterThan(previous[fee]);
          expect(bumped[fee]).toBeGreaterThanOrEqual(current[fee]);
        }
      }),
    );
  });
});
