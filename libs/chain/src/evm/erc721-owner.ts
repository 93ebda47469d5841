import { decodeAddress } from './decode-answer.js';
import { type Address, lowerAddress, uintWord } from './hex.js';
import { type Read } from './read.js';

/** ERC-721 ownerOf(uint256): the owner in lower case, null when it reverts, which means that nobody owns the token. */
export function erc721Owner(collection: Address, tokenId: bigint): Read<Address | null> {
  return {
    to: lowerAddress(collection),
    data: `6352211e${uintWord(tokenId)}`,
    decode: decodeAddress,
    onRevert: { value: null },
  };
}
