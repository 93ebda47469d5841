import { type EvmAddress } from '@app/dto';
import { decodeUint256 } from '../codec/abi-decode.js';
import { encodeAddress, toLowerCaseAddress } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** ERC-721 balanceOf(address): how many tokens of the collection the account holds. */
export function createErc721BalanceRead(collection: EvmAddress, account: string): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(collection),
    data: `70a08231${encodeAddress(account)}`,
    decode: decodeUint256,
  };
}
