import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { size } from 'viem/utils';
import type { Hex } from 'viem';
import { encodeHandleOps, type SignedUserOperation } from '../../../evm/operations/user-operation.js';
import { toBundleLimits } from './bundle-limits.js';
import type { ClaimedOperation } from './claimed-operation.js';
import { addOperation, EMPTY_BUNDLE, estimateBundleGas, toBundleGas } from './estimate-bundle-gas.js';
import { holdUnsendable, selectBundle, toGroups } from './select-bundle.js';

const ADDRESS = '0x00000000000000000000000000000000000a11ce';
const bytes = (maxLength: number) => fc.nat(maxLength).map((length): Hex => `0x${'a5'.repeat(length)}`);
const operation = fc.record({
  sender: fc.constant<Hex>(ADDRESS),
  nonce: fc.bigInt({ min: 0n, max: 1n << 200n }),
  callData: bytes(40_000),
  callGasLimit: fc.bigInt({ min: 0n, max: 20_000_000n }),
  verificationGasLimit: fc.bigInt({ min: 0n, max: 1_000_000n }),
  preVerificationGas: fc.constant(50_000n),
  maxFeePerGas: fc.constant(1n),
  maxPriorityFeePerGas: fc.constant(1n),
  signature: bytes(100),
});
const optional = fc.record({
  deployment: fc.option(bytes(300).map((factoryData) => ({ factory: ADDRESS as Hex, factoryData }))),
  sponsor: fc.option(
    bytes(300).map((paymasterData) => ({
      paymaster: ADDRESS as Hex,
      paymasterVerificationGasLimit: 60_000n,
      paymasterPostOpGasLimit: 10_000n,
      paymasterData,
    })),
  ),
});
const signed = fc
  .tuple(operation, optional)
  .map(([fields, { deployment, sponsor }]): SignedUserOperation => ({
    ...fields,
    ...deployment,
    ...sponsor,
  }));
const claimed = fc
  .array(
    fc.record({
      operation: signed,
      lane: fc.constantFrom('a', 'b', 'c'),
      version: fc.constantFrom('0.7', '0.8'),
    }),
    {
      maxLength: 12,
    },
  )
  .map((all) => all.map((one, index) => ({ ...one, id: String(index) }) as ClaimedOperation));
const limits = fc
  .record({
    bundleGas: fc.integer({ min: 500_000, max: 16_000_000 }),
    block: fc.integer({ min: 1_000_000, max: 60_000_000 }),
  })
  .map(({ bundleGas, block }) => toBundleLimits(bundleGas, BigInt(block)));

/** A chain on which gas costs nothing. */
const FREE = {
  current: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
  baseFee: 0n,
  maxFeePerGas: 1n,
  feeCap: 1n,
};

describe('bundles', () => {
  it('addOperation: counts the bytes and the gas of the call data that encodeHandleOps makes', () => {
    fc.assert(
      fc.property(
        fc.array(signed, { maxLength: 5 }),
        fc.constantFrom('0.7', '0.8'),
        (operations, version) => {
          const data = encodeHandleOps(version, operations, ADDRESS);
          const counted = operations.reduce(addOperation, EMPTY_BUNDLE);
          expect(counted.bytes).toBe(size(data));
          expect(toBundleGas(counted)).toBe(estimateBundleGas(operations, data));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('selectBundle: fits into the limits, takes at least one operation, and keeps the order of each lane', () => {
    fc.assert(
      fc.property(claimed, limits, (all, { maxGas, maxBytes }) => {
        const { held, waiting, fitting } = holdUnsendable(all, { ...FREE, limits: { maxGas, maxBytes } });
        expect(held.length + waiting.length + fitting.length).toBe(all.length);
        const { bundle, rest } = selectBundle(fitting, { maxGas, maxBytes });
        expect(bundle.length > 0).toBe(fitting.length > 0);
        const data = encodeHandleOps(
          '0.8',
          bundle.map((one) => one.operation),
          ADDRESS,
        );
        if (bundle.length > 0) {
          expect(size(data)).toBeLessThanOrEqual(100_000);
          expect(
            estimateBundleGas(
              bundle.map((one) => one.operation),
              data,
            ),
          ).toBeLessThanOrEqual(maxGas);
        }
        for (const one of bundle)
          for (const left of [...rest, ...waiting])
            if (left.lane === one.lane) expect(Number(left.id)).toBeGreaterThan(Number(one.id));
      }),
      { numRuns: 200 },
    );
  });

  it('toBundleLimits: allows the least of EXECUTOR_BUNDLE_GAS, 16,000,000 gas and nine tenths of a block', () => {
    expect(toBundleLimits(12_000_000, 30_000_000n)).toEqual({ maxGas: 12_000_000n, maxBytes: 100_000 });
    expect(toBundleLimits(20_000_000, 60_000_000n).maxGas).toBe(16_000_000n);
    expect(toBundleLimits(12_000_000, 10_000_000n).maxGas).toBe(9_000_000n);
  });
});

it('toGroups: has fresh operations before those that failed before, which come before those that go alone', () => {
  const kinds = fc.array(fc.record({ isRepeat: fc.boolean(), goesAlone: fc.boolean() }), {
    minLength: 12,
    maxLength: 12,
  });
  fc.assert(
    fc.property(claimed, kinds, (all, kind) => {
      const mixed = all.map((one, index): ClaimedOperation => ({ ...one, ...kind[index] }));
      const conditions = { current: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, baseFee: 1n };
      const ordered = toGroups(mixed, conditions).flat();
      const toPlace = ({ isRepeat, goesAlone }: ClaimedOperation) => (goesAlone ? 2 : isRepeat ? 1 : 0);
      expect(ordered.map(toPlace)).toEqual(ordered.map(toPlace).toSorted());
      expect(new Set(ordered)).toEqual(new Set(mixed));
    }),
  );
});
