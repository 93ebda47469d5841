import { type EvmAddress } from '@app/dto';
import { MalformedReturnDataError } from '../codec/abi-decode.js';
import { toLowerCaseAddress } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** Bounds what a contract can make clients display. */
const MAX_SYMBOL_BYTES = 64;
const STRING_OFFSET_WORD = `${'0'.repeat(62)}20`;

/** ERC-20 symbol(): a string, or bytes32 in tokens from before the standard. */
export function createErc20SymbolRead(token: EvmAddress): ContractRead<string> {
  return { to: toLowerCaseAddress(token), data: '95d89b41', decode: decodeSymbol };
}

function decodeSymbol(returnData: string): string {
  const bytes = returnData.length === 64 ? trimPadding(returnData) : readStringBytes(returnData);
  const text = new TextDecoder('utf-8', { fatal: false }).decode(Buffer.from(bytes, 'hex'));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text) || text.includes('\ufffd'))
    throw new MalformedReturnDataError('the contract answered a symbol that cannot be shown');
  return text;
}

/** Hex digits of the text in an ABI-encoded string. */
function readStringBytes(returnData: string): string {
  const length = Number.parseInt(returnData.slice(64, 128), 16);
  const isString = returnData.startsWith(STRING_OFFSET_WORD) && length <= MAX_SYMBOL_BYTES;
  const bytes = returnData.slice(128, 128 + length * 2);
  if (!isString || bytes.length < length * 2)
    throw new MalformedReturnDataError('the contract answered no symbol');
  return bytes;
}

const trimPadding = (word: string): string => word.replace(/(?:00)+$/, '');
