import { type EvmAddress } from '@app/dto';
import { decodeAddress } from '../codec/abi-decode.js';
import { toLowerCaseAddress, encodeUint256 } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** ERC-721 ownerOf(uint256): the owner in lower case; null on a revert, which means that the token has no owner. */
export function createErc721OwnerRead(
  collection: EvmAddress,
  tokenId: bigint,
): ContractRead<EvmAddress | null> {
  return {
    to: toLowerCaseAddress(collection),
    data: `6352211e${encodeUint256(tokenId)}`,
    decode: decodeAddress,
    onRevert: { value: null },
  };
}
