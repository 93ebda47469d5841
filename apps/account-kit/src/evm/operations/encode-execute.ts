import type { Address, Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { AccountVersion } from '../accounts/account-contracts.js';

/** One call that a smart account makes. */
export interface AccountCall {
  readonly target: Address;
  readonly value: bigint;
  readonly data: Hex;
}

const EXECUTE = [
  {
    type: 'function',
    name: 'execute',
    inputs: [
      { name: 'dest', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'func', type: 'bytes' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  },
] as const;

const EXECUTE_BATCH_07 = [
  {
    type: 'function',
    name: 'executeBatch',
    inputs: [
      { name: 'dest', type: 'address[]' },
      { name: 'value', type: 'uint256[]' },
      { name: 'func', type: 'bytes[]' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  },
] as const;

const EXECUTE_BATCH_08 = [
  {
    type: 'function',
    name: 'executeBatch',
    inputs: [
      {
        name: 'calls',
        type: 'tuple[]',
        components: [
          { name: 'target', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'data', type: 'bytes' },
        ],
      },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  },
] as const;

/** Encodes what the EntryPoint calls on the account: `execute` for one call, `executeBatch` for several. */
export function encodeExecute(version: AccountVersion, calls: readonly AccountCall[]): Hex {
  const [first, ...others] = calls;
  if (!first) throw new RangeError('an operation needs at least one call');
  if (others.length === 0)
    return encodeFunctionData({ abi: EXECUTE, args: [first.target, first.value, first.data] });
  if (version === '0.8') return encodeFunctionData({ abi: EXECUTE_BATCH_08, args: [calls] });
  return encodeFunctionData({
    abi: EXECUTE_BATCH_07,
    args: [calls.map(({ target }) => target), calls.map(({ value }) => value), calls.map(({ data }) => data)],
  });
}
