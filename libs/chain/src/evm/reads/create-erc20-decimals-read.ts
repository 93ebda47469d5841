import { type EvmAddress } from '@app/dto';
import { decodeUint8 } from '../codec/abi-decode.js';
import { toLowerCaseAddress } from '../codec/abi-encode.js';
import { type ContractRead } from '../codec/contract-read.js';

/** ERC-20 decimals(): 0 to 255. */
export function createErc20DecimalsRead(token: EvmAddress): ContractRead<number> {
  return { to: toLowerCaseAddress(token), data: '313ce567', decode: decodeUint8 };
}
