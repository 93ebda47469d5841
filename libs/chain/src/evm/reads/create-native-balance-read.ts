import { decodeUint256 } from '../codec/abi-decode.js';
import { encodeAddress } from '../codec/abi-encode.js';
import { multicall3Target, type ContractRead } from '../codec/contract-read.js';

/** Multicall3.getEthBalance: the coin balance of an account, in its smallest unit. */
export function createNativeBalanceRead(account: string): ContractRead<bigint> {
  return { to: multicall3Target, data: `4d2301cc${encodeAddress(account)}`, decode: decodeUint256 };
}
