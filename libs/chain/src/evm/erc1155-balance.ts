import { decodeUint256 } from './decode-answer.js';
import { type Address, addressWord, lowerAddress, uintWord } from './hex.js';
import { type Read } from './read.js';

/** ERC-1155 balanceOf(address, uint256): how many of one token id the account holds. */
export function erc1155Balance(collection: Address, account: string, tokenId: bigint): Read<bigint> {
  return {
    to: lowerAddress(collection),
    data: `00fdd58e${addressWord(account)}${uintWord(tokenId)}`,
    decode: decodeUint256,
  };
}
