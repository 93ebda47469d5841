import { decodeAddress } from '../codec/abi-decode.js';
import { type Address, toLowerCaseAddress, encodeUint256 } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** ERC-721 ownerOf(uint256): the owner in lower case, null when it reverts, which means that nobody owns the token. */
export function createErc721OwnerRead(collection: Address, tokenId: bigint): ContractRead<Address | null> {
  return {
    to: toLowerCaseAddress(collection),
    data: `6352211e${encodeUint256(tokenId)}`,
    decode: decodeAddress,
    onRevert: { value: null },
  };
}
