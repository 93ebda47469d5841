import { expect, it } from '@jest/globals';
import { parseGwei } from 'viem/utils';
import { limitFees } from './estimate-fees.js';

const CEILING = parseGwei('500');

const estimate = (base: string, tip: string) => ({
  maxFeePerGas: 2n * parseGwei(base) + parseGwei(tip),
  maxPriorityFeePerGas: parseGwei(tip),
  baseFeePerGas: parseGwei(base),
  blockGasLimit: 30_000_000n,
});

it.each([
  ['10', '1', '21'],
  ['300', '1', '500'],
  ['499', '1', '500'],
])('limitFees: a base fee of %s gwei and a tip of %s give at most %s gwei', (base, tip, max) => {
  expect(limitFees(estimate(base, tip), CEILING)).toEqual({
    maxFeePerGas: parseGwei(max),
    maxPriorityFeePerGas: parseGwei(tip),
  });
});

it.each([
  ['500', '1'],
  ['499', '1.000000001'],
])('limitFees: refuses a base fee of %s gwei with a tip of %s', (base, tip) => {
  expect(() => limitFees(estimate(base, tip), CEILING)).toThrow('higher fee than this deployment pays');
});
