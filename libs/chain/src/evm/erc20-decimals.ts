import { decodeUint8 } from './decode-answer.js';
import { type Address, lowerAddress } from './hex.js';
import { type Read } from './read.js';

/** ERC-20 decimals(): 0 to 255. */
export function erc20Decimals(token: Address): Read<number> {
  return { to: lowerAddress(token), data: '313ce567', decode: decodeUint8 };
}
