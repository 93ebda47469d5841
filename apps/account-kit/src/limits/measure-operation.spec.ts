import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Address, erc20Abi } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { capSchema, toCapKey } from './cap.js';
import { measureOperation, type MeasuredOperation } from './measure-operation.js';

const CHAIN = 31_337;
const TOKEN: Address = '0x00000000000000000000000000000000000070c3';
const OTHER: Address = '0x00000000000000000000000000000000000a11ce';

const caps = [
  { of: 'gas', chainId: CHAIN },
  { of: 'value', chainId: CHAIN },
  { of: 'token', chainId: CHAIN, token: TOKEN },
  { of: 'mints', chainId: CHAIN },
  { of: 'lamports', network: 'SOL' },
].map((cap) => capSchema.parse({ ...cap, per: 'account', period: 'day', max: '1' }));

const measure = (operation: Partial<MeasuredOperation>) => {
  const uses = measureOperation(caps, {
    chainId: CHAIN,
    isMint: false,
    calls: [],
    maxGasCost: 0n,
    ...operation,
  });
  return Object.fromEntries(uses.map(({ cap, amount, ifReverted }) => [cap.of, [amount, ifReverted]]));
};
const transfer = (amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [OTHER, amount] });

describe('measureOperation', () => {
  it('measureOperation: sums what calls send and move; only gas is used when they revert', () => {
    const amount = fc.bigInt({ min: 1n, max: 2n ** 128n });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(amount, amount), { minLength: 1, maxLength: 32 }),
        amount,
        (batch, maxGasCost) => {
          const calls = batch.map(([value, tokens]) => ({ target: TOKEN, value, data: transfer(tokens) }));
          const sum = (select: (pair: [bigint, bigint]) => bigint) =>
            batch.reduce((total, pair) => total + select(pair), 0n);
          expect(measure({ calls, maxGasCost })).toEqual({
            gas: [maxGasCost, maxGasCost],
            value: [sum(([value]) => value), 0n],
            token: [sum(([, tokens]) => tokens), 0n],
          });
        },
      ),
    );
  });

  it('measureOperation: counts a mint', () => {
    expect(measure({ isMint: true })).toEqual({ mints: [1n, 0n] });
  });

  it('measureOperation: has nothing for another chain, and nothing where nothing is used', () => {
    const call = { target: OTHER, value: 1n, data: '0x' } as const;
    expect(measure({ chainId: 1, calls: [call], maxGasCost: 5n, isMint: true })).toEqual({});
    expect(measure({ calls: [{ ...call, value: 0n, data: transfer(7n) }] })).toEqual({});
  });

  it('measureOperation: throws for a capped token whose amount is unknown', () => {
    expect(() => measure({ calls: [{ target: TOKEN, value: 0n, data: '0x12345678' }] })).toThrow(RangeError);
  });
});

describe('toCapKey', () => {
  it('toCapKey: does not depend on the maximum, and on everything else', () => {
    const keys = caps.map(toCapKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(caps.map((cap) => toCapKey({ ...cap, max: 99n }))).toEqual(keys);
    expect(caps.map((cap) => toCapKey({ ...cap, per: 'application' }))).not.toEqual(keys);
  });
});
