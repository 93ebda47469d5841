import type { Address, Hex } from 'viem';
import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { AccountVersion } from '../accounts/account-contracts.js';

/** A call that a smart account makes. */
export interface AccountCall {
  readonly target: Address;
  readonly value: bigint;
  readonly data: Hex;
  /** What the request calls the parts of the call, for errors that name a field. */
  readonly fields?: CallFields;
}

export interface CallFields {
  readonly target: string;
  readonly data: string;
}

/** The names of the parts of a call that came in no request. */
export const toCallFields = ({ fields }: AccountCall, index: number): CallFields =>
  fields ?? { target: `calls.${index}.target`, data: `calls.${index}.callData` };

const EXECUTE = parseAbi(['function execute(address dest, uint256 value, bytes func)']);
const EXECUTE_BATCH_07 = parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']);
const EXECUTE_BATCH_08 = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function executeBatch(Call[] calls)',
]);

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

/** Decodes what `encodeExecute` has encoded. @throws viem's error for anything else */
export function decodeExecute(version: AccountVersion, callData: Hex): readonly AccountCall[] {
  if (version === '0.8') {
    const call = decodeFunctionData({ abi: [...EXECUTE, ...EXECUTE_BATCH_08], data: callData });
    return call.functionName === 'execute' ? [toCall(...call.args)] : call.args[0];
  }
  const call = decodeFunctionData({ abi: [...EXECUTE, ...EXECUTE_BATCH_07], data: callData });
  if (call.functionName === 'execute') return [toCall(...call.args)];
  const [targets, values, data] = call.args;
  return targets.map((target, index) => toCall(target, values[index] ?? 0n, data[index] ?? '0x'));
}

const toCall = (target: Address, value: bigint, data: Hex): AccountCall => ({ target, value, data });
