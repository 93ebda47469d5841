import { decodeUint256 } from './decode-answer.js';
import { type Address, addressWord, lowerAddress } from './hex.js';
import { type Read } from './read.js';

/** ERC-721 balanceOf(address): how many tokens of the collection the account holds. */
export function erc721Balance(collection: Address, account: string): Read<bigint> {
  return { to: lowerAddress(collection), data: `70a08231${addressWord(account)}`, decode: decodeUint256 };
}
