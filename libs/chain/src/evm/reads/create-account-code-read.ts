import { decodeUint256, MalformedReturnDataError } from '../codec/abi-decode.js';
import { toLowerCaseAddress } from '../codec/abi-encode.js';
import { accountCodeTarget, type ContractRead } from '../codec/contract-read.js';

/** Whether an account is a contract: it has code that is no designator of EIP-7702. Sent beside the calls of its batch. */
export function createAccountCodeRead(account: string): ContractRead<boolean> {
  return { to: accountCodeTarget, data: toLowerCaseAddress(account).slice(2), decode: decodeFlag };
}

function decodeFlag(returnData: string): boolean {
  const flag = decodeUint256(returnData);
  if (flag > 1n) throw new MalformedReturnDataError('the reader answered neither true nor false');
  return flag === 1n;
}
