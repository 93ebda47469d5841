import { decodeUint256 } from './decode-answer.js';
import { type Address, addressWord, lowerAddress } from './hex.js';
import { type Read } from './read.js';

/** ERC-20 balanceOf(address), in the token's smallest unit. */
export function erc20Balance(token: Address, account: string): Read<bigint> {
  return { to: lowerAddress(token), data: `70a08231${addressWord(account)}`, decode: decodeUint256 };
}
