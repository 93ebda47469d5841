import type { EvmAddress } from '@app/dto';
import { decodeUint256, MalformedReturnDataError } from '../codec/abi-decode.js';
import { encodeAddress, toLowerCaseAddress } from '../codec/abi-encode.js';
import type { ContractRead } from '../codec/contract-read.js';

/** Safe.isOwner(address): 1 for an owner, 0 for others. */
export function createSafeOwnerRead(safe: EvmAddress, account: string): ContractRead<bigint> {
  return {
    to: toLowerCaseAddress(safe),
    data: `2f54bf6e${encodeAddress(account)}`,
    decode: decodeBoolean,
  };
}

function decodeBoolean(returnData: string): bigint {
  const value = decodeUint256(returnData);
  if (value > 1n) throw new MalformedReturnDataError('the contract answered neither true nor false');
  return value;
}
