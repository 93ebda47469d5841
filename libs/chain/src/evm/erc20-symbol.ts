import { MalformedAnswer } from './decode-answer.js';
import { type Address, lowerAddress } from './hex.js';
import { type Read } from './read.js';

/** What wallets show; callers choose contracts. */
const MOST_BYTES = 64;
const OFFSET = `${'0'.repeat(62)}20`;

/** ERC-20 symbol(): a string, or the 32 bytes of tokens older than that. */
export function erc20Symbol(token: Address): Read<string> {
  return { to: lowerAddress(token), data: '95d89b41', decode: decodeSymbol };
}

function decodeSymbol(returnData: string): string {
  const bytes = returnData.length === 64 ? withoutPadding(returnData) : stringBytes(returnData);
  const text = new TextDecoder('utf-8', { fatal: false }).decode(Buffer.from(bytes, 'hex'));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text) || text.includes('\ufffd'))
    throw new MalformedAnswer('the contract answered a symbol that cannot be shown');
  return text;
}

/** Of a lone ABI string. */
function stringBytes(returnData: string): string {
  const length = Number.parseInt(returnData.slice(64, 128), 16);
  const isString = returnData.startsWith(OFFSET) && length <= MOST_BYTES;
  const bytes = returnData.slice(128, 128 + length * 2);
  if (!isString || bytes.length < length * 2) throw new MalformedAnswer('the contract answered no symbol');
  return bytes;
}

const withoutPadding = (word: string): string => word.replace(/(?:00)+$/, '');
