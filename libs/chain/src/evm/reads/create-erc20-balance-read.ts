import { type EvmAddress } from '@app/dto';
import { decodeUint256 } from '../codec/abi-decode.js';
import { encodeAddress, toLowerCaseAddress } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** ERC-20 balanceOf(address), in the token's smallest unit. */
export function createErc20BalanceRead(token: EvmAddress, account: string): ContractRead<bigint> {
  return { to: toLowerCaseAddress(token), data: `70a08231${encodeAddress(account)}`, decode: decodeUint256 };
}
