import {
  ACCOUNT_PLACEHOLDER,
  type ContractFunction,
  type EvmAddress,
  type FunctionResult,
  parseInteger,
  parseIntegerType,
} from '@app/dto';
import { encodeFunctionData } from 'viem';
import {
  decodeAddress,
  decodeUint256,
  encodeAddress,
  encodeNumber,
  MalformedReturnDataError,
  toLowerCaseAddress,
} from '../reads/evm/abi-codec.js';
import type { ContractRead } from '../reads/evm/contract-read.js';

const WORD_DIGITS = 64;
const SELECTOR_DIGITS = 8;
/** The beginning of a result that is an array alone: the array follows at once. */
const ARRAY_START = encodeNumber(32);
/** Digits of an array, which may be read alone or with others: the longest result of one read (batch/evm/isolated-reads.ts). */
const MAX_ARRAY_DIGITS = 2 * 65_536;
const ZERO_ADDRESS: EvmAddress = `0x${'0'.repeat(40)}`;

/**
 * Prepares the call of a function. The arguments are encoded once; each account then takes the places of `$account`, whose words stand at the
 * beginning, one for each parameter: 0.2 µs a wallet, where encoding everything again takes 20.
 * @param args valid for the types of the parameters
 * @returns a function that creates the read for an account
 */
export function prepareContractCall(
  contract: EvmAddress,
  { name, parameters, result }: ContractFunction,
  args: readonly string[],
): (account: string) => ContractRead<bigint> {
  const to = toLowerCaseAddress(contract);
  const encoded = encodeCall(name, parameters, args);
  const places = args.flatMap((text, index) =>
    text === ACCOUNT_PLACEHOLDER ? [SELECTOR_DIGITS + index * WORD_DIGITS] : [],
  );
  const decode = createDecoder(result);
  return (account) => ({ to, data: fillIn(encoded, places, account), decode, isIsolated: true });
}

function encodeCall(name: string, parameters: readonly string[], args: readonly string[]): string {
  const inputs = parameters.map((type) => ({ type }));
  const abi = [{ type: 'function', name, inputs, outputs: [], stateMutability: 'view' }] as const;
  const values = parameters.map((type, index) => toAbiValue(type, args[index] ?? ''));
  return encodeFunctionData({ abi, functionName: name, args: values }).slice(2);
}

/** The value of viem for an argument; zeros in the place of an account. */
function toAbiValue(type: string, text: string): unknown {
  if (text === ACCOUNT_PLACEHOLDER) return ZERO_ADDRESS;
  if (type === 'address') return text.toLowerCase();
  if (type === 'bool') return text === 'true';
  return parseIntegerType(type) ? parseInteger(text) : text;
}

function fillIn(encoded: string, places: readonly number[], account: string): string {
  if (places.length === 0) return encoded;
  const word = encodeAddress(account);
  let data = encoded;
  for (const at of places) data = data.slice(0, at) + word + data.slice(at + WORD_DIGITS);
  return data;
}

/**
 * Decodes a result as one number: true is 1, an address and bytes32 are their digits, an array is its length. The words are read here
 * because viem accepts numbers beyond their type, and takes 40 ms for an array of 2,000 addresses, which a contract chooses. A single word is
 * all of the result: the beginning of a longer one is where an array or a text stands, or the first of several values.
 */
function createDecoder(result: FunctionResult): (returnData: string) => bigint {
  switch (result.kind) {
    case 'integer':
      return (returnData) => decodeInteger(checkSingleWord(returnData), result);
    case 'bool':
      return (returnData) => decodeBool(checkSingleWord(returnData));
    case 'address':
      return (returnData) => BigInt(decodeAddress(checkSingleWord(returnData)));
    case 'bytes32':
      return (returnData) => decodeUint256(checkSingleWord(returnData));
    case 'length':
      return decodeLength;
  }
}

function checkSingleWord(returnData: string): string {
  if (returnData.length === WORD_DIGITS) return returnData;
  throw new MalformedReturnDataError(`the contract answered ${returnData.length / 2} bytes instead of 32`);
}

function decodeInteger(
  returnData: string,
  { isSigned, bits }: { readonly isSigned: boolean; readonly bits: number },
): bigint {
  const word = decodeUint256(returnData);
  const value = isSigned ? BigInt.asIntN(256, word) : word;
  if ((isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value) return value;
  throw new MalformedReturnDataError(
    `the contract answered a number that is no ${isSigned ? 'int' : 'uint'}${bits}`,
  );
}

function decodeBool(returnData: string): bigint {
  const value = decodeUint256(returnData);
  if (value > 1n) throw new MalformedReturnDataError('the contract answered neither true nor false');
  return value;
}

/** The length of an array, where its elements, or words that say where they are, fit what was answered. */
function decodeLength(returnData: string): bigint {
  if (returnData.length > MAX_ARRAY_DIGITS)
    throw new MalformedReturnDataError('the contract answered an array that is too long');
  const length = Number.parseInt(returnData.slice(WORD_DIGITS, 2 * WORD_DIGITS), 16);
  const end = WORD_DIGITS * (2 + length);
  // Not a number where a word is missing.
  if (!(returnData.startsWith(ARRAY_START) && end <= returnData.length))
    throw new MalformedReturnDataError('the contract answered no array');
  return BigInt(length);
}
