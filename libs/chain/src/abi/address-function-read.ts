import type { EvmAddress } from '@app/dto';
import { type AbiFunction, decodeFunctionResult, encodeFunctionData, parseAbiItem } from 'viem';
import { MalformedReturnDataError, toLowerCaseAddress } from '../reads/evm/abi-codec.js';
import type { ContractRead } from '../reads/evm/contract-read.js';

/** A view function of one address argument. `output`: a number, true or false, an array of numbers, or another array. */
export interface AddressFunction {
  readonly abi: AbiFunction;
  readonly output: 'amount' | 'flag' | 'array' | 'list';
}

export type ResultReading = 'amount' | 'length' | 'sum';

/** Parses human-readable ABI such as `function stakeOf(address) view returns (uint256)`, or returns an error message. */
export function parseAddressFunction(text: string): AddressFunction | string {
  const abi = parseFunction(text);
  if (!abi) return 'must be a function in human-readable ABI';
  const [input, ...otherInputs] = abi.inputs;
  if (input?.type !== 'address' || otherInputs.length > 0) return 'must take one address';
  const type = abi.outputs[0]?.type;
  if (type === undefined || abi.outputs.length > 1) return 'must return one value';
  if (/^uint\d*$/.test(type)) return { abi, output: 'amount' };
  if (type === 'bool') return { abi, output: 'flag' };
  if (/^uint\d*\[\d*\]$/.test(type)) return { abi, output: 'array' };
  return type.endsWith(']')
    ? { abi, output: 'list' }
    : 'must return a number without sign, true or false, or an array';
}

function parseFunction(text: string): AbiFunction | undefined {
  try {
    const item = parseAbiItem(text as 'function f()') as { readonly type: string };
    return item.type === 'function' ? (item as AbiFunction) : undefined;
  } catch {
    return undefined;
  }
}

/** Calls the function for an account, and reads its result as an amount, the length of an array, or the sum of one. */
export function createAddressFunctionRead(
  contract: EvmAddress,
  { abi }: AddressFunction,
  reading: ResultReading,
  account: string,
): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(contract),
    data: encodeFunctionData({ abi: [abi], args: [toLowerCaseAddress(account)] }).slice(2),
    decode: (returnData) => readResult(decodeResult(abi, returnData), reading),
  };
}

function decodeResult(abi: AbiFunction, returnData: string): unknown {
  try {
    return decodeFunctionResult({ abi: [abi], data: `0x${returnData}` });
  } catch {
    throw new MalformedReturnDataError('the contract answered in another form than its adapter says');
  }
}

function readResult(result: unknown, reading: ResultReading): bigint {
  if (!Array.isArray(result)) return toAmount(result);
  if (reading === 'length') return BigInt(result.length);
  return result.reduce((sum: bigint, amount) => sum + toAmount(amount), 0n);
}

/** True is 1. viem decodes numbers of up to 48 bits as JavaScript numbers. */
function toAmount(value: unknown): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'bigint' || typeof value === 'number') return BigInt(value);
  throw new MalformedReturnDataError('the contract answered no number');
}
