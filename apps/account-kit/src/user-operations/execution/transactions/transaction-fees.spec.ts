import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bumpFees,
  chooseFees,
  FEE_CLASSES,
  findFeeShortage,
  replaceFees,
  toFeeClass,
  toFeeLimit,
  toPaidFees,
  type TransactionFees,
} from './transaction-fees.js';

const amount = (min: bigint) => fc.bigInt({ min, max: 10n ** 15n });
const fees = fc.tuple(amount(1n), amount(0n)).map(([maxPriorityFeePerGas, more]): TransactionFees => ({
  maxFeePerGas: maxPriorityFeePerGas + more,
  maxPriorityFeePerGas,
}));
const NAMES = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const;

/** EIP-1559 and the EntryPoint: what one unit of gas costs. */
const priceOf = ({ maxFeePerGas, maxPriorityFeePerGas }: TransactionFees, baseFee: bigint): bigint =>
  maxFeePerGas < baseFee + maxPriorityFeePerGas ? maxFeePerGas : baseFee + maxPriorityFeePerGas;

describe('fees of executors', () => {
  it('bumpFees: raises both fees by a tenth or more within the limit, or not at all', () => {
    fc.assert(
      fc.property(fees, fees, fees, (previous, current, limit) => {
        const bumped = bumpFees(previous, current, limit);
        if (!bumped) {
          expect(NAMES.some((name) => previous[name] * 11n >= limit[name] * 10n - 10n)).toBe(true);
          return;
        }
        expect(bumped.maxFeePerGas).toBeGreaterThanOrEqual(bumped.maxPriorityFeePerGas);
        for (const name of NAMES) {
          expect(bumped[name] * 10n).toBeGreaterThanOrEqual(previous[name] * 11n);
          expect(bumped[name]).toBeLessThanOrEqual(limit[name]);
        }
      }),
    );
  });

  it('toFeeLimit: no variant costs more than every operation pays back, at any base fee, beyond the allowed loss, and none more than EXECUTOR_TX_FEE_CAP', () => {
    fc.assert(
      fc.property(
        fc.array(fees, { minLength: 1, maxLength: 5 }),
        fees,
        fees,
        amount(0n),
        amount(0n),
        fc.bigInt({ min: 21_000n, max: 16_000_000n }),
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.bigInt({ min: 10n ** 12n, max: 10n ** 20n }),
        (operations, current, later, now, baseFee, gas, bumpLoss, feeCap) => {
          const limit = toFeeLimit(toPaidFees(operations), gas, {
            maxFeePerGas: 10n ** 16n,
            bumpLoss,
            feeCap,
          });
          const first = chooseFees(current, limit, now);
          expect(first.maxFeePerGas).toBeGreaterThanOrEqual(first.maxPriorityFeePerGas);
          for (const variant of [first, bumpFees(first, later, limit)]) {
            if (variant) expect(variant.maxFeePerGas * gas).toBeLessThanOrEqual(feeCap);
            if (!variant || variant.maxFeePerGas < baseFee) continue; // no block includes the variant
            for (const operation of operations)
              expect((priceOf(variant, baseFee) - priceOf(operation, baseFee)) * gas).toBeLessThanOrEqual(
                bumpLoss,
              );
          }
        },
      ),
    );
  });

  it('toFeeLimit: MAX_FEE_PER_GAS bounds also transactions whose operations pay nothing', () => {
    const limit = toFeeLimit(undefined, 100_000n, { maxFeePerGas: 7n, bumpLoss: 0n, feeCap: 10n ** 24n });
    expect(chooseFees({ maxFeePerGas: 9n, maxPriorityFeePerGas: 8n }, limit, 100n)).toEqual({
      maxFeePerGas: 7n,
      maxPriorityFeePerGas: 5n,
    });
  });

  it('chooseFees: offers enough for the next block if its operations do', () => {
    fc.assert(
      fc.property(fees, amount(1n), amount(1n), (operation, baseFee, tip) => {
        const current = { maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip };
        if (findFeeShortage(operation, current, baseFee) !== undefined) return;
        const limit = toFeeLimit(operation, 100_000n, {
          maxFeePerGas: 10n ** 16n,
          bumpLoss: 0n,
          feeCap: 10n ** 24n,
        });
        const chosen = chooseFees(current, limit, baseFee);
        expect(chosen.maxFeePerGas * 8n).toBeGreaterThanOrEqual(baseFee * 9n);
      }),
    );
  });

  it('replaceFees: is a tenth above all variants, whichever of them a node has', () => {
    fc.assert(
      fc.property(fc.array(fees, { minLength: 1 }), fees, (variants, current) => {
        const replacing = replaceFees(variants, current);
        for (const name of NAMES)
          for (const variant of variants)
            expect(replacing[name] * 10n).toBeGreaterThanOrEqual(variant[name] * 11n);
      }),
    );
  });

  it('toFeeClass: parts operations at 1.5, 3 and 6 times the base fee of the next block, and at half of the suggested tip', () => {
    const current = { maxFeePerGas: 2_010n, maxPriorityFeePerGas: 10n };
    const classOf = (maxFeePerGas: bigint, maxPriorityFeePerGas = 10n) =>
      toFeeClass({ maxFeePerGas, maxPriorityFeePerGas }, current, 800n);
    // The next base fee is at most 900.
    expect([910n, 1_359n].map((fee) => classOf(fee))).toEqual([1, 1]);
    expect([1_360n, 1_610n, 2_709n].map((fee) => classOf(fee))).toEqual([2, 2, 2]);
    expect([2_710n, 5_409n].map((fee) => classOf(fee))).toEqual([3, 3]);
    expect([5_410n, 10n ** 18n].map((fee) => classOf(fee))).toEqual([4, 4]);
    expect([classOf(5_410n, 4n), classOf(5_410n, 5n)]).toEqual([0, 4]);
    expect(FEE_CLASSES).toEqual([4, 3, 2, 1, 0]);
  });
});
