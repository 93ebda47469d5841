import { type EvmAddress } from '@app/dto';
import { decodeUint256 } from '../codec/abi-decode.js';
import { encodeAddress, toLowerCaseAddress, encodeUint256 } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** ERC-1155 balanceOf(address, uint256): how many of one token id the account holds. */
export function createErc1155BalanceRead(
  collection: EvmAddress,
  account: string,
  tokenId: bigint,
): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(collection),
    data: `00fdd58e${encodeAddress(account)}${encodeUint256(tokenId)}`,
    decode: decodeUint256,
  };
}
