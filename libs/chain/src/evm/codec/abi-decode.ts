import { type EvmAddress } from '@app/dto';

/** The contract returned data that its standard does not allow. */
export class MalformedReturnDataError extends Error {
  override readonly name = 'MalformedReturnDataError';
}

/** The most data of a one-word result: some old compilers and proxies pad it, and no known one pads beyond this. */
const MAX_RETURN_BYTES = 1024;

function readFirstWord(returnData: string): string {
  const bytes = returnData.length / 2;
  if (bytes < 32 || bytes > MAX_RETURN_BYTES || bytes % 32 !== 0) {
    throw new MalformedReturnDataError(`the contract answered ${bytes} bytes instead of 32`);
  }
  return returnData.slice(0, 64);
}

export function decodeUint256(returnData: string): bigint {
  return BigInt(`0x${readFirstWord(returnData)}`);
}

export function decodeUint8(returnData: string): number {
  const word = readFirstWord(returnData);
  if (!word.startsWith('0'.repeat(62)))
    throw new MalformedReturnDataError('the contract answered a number above 255');
  return Number.parseInt(word.slice(62), 16);
}

/** Lower case. */
export function decodeAddress(returnData: string): EvmAddress {
  const word = readFirstWord(returnData);
  if (!word.startsWith('0'.repeat(24)))
    throw new MalformedReturnDataError('the contract answered more than an address');
  return `0x${word.slice(24).toLowerCase()}`;
}

const ERROR_STRING_SELECTOR = '08c379a0';
const REASON_AT = ERROR_STRING_SELECTOR.length + 2 * 64;
const MAX_REASON_DIGITS = 512;
/** A custom error with one bytes4, as `FunctionNotFound(bytes4)` of a diamond (ERC-2535). */
const QUOTED_SELECTOR_PATTERN = /^[0-9a-f]{8}(?!00000000)[0-9a-f]{8}0{56}$/i;
const MISSING_FUNCTION_PATTERN =
  /\b(function|selector|method)\b.{0,40}\b(not (exist|found|supported|implemented|recogni[sz]ed)|unknown|undefined|missing)\b|\b(unknown|undefined|unsupported|missing|invalid|no such|non-?existent) (function|selector|method)\b/i;

/** Whether a reason of a revert says that the contract does not have the called function. */
export const isMissingFunctionReason = (reason: string): boolean => MISSING_FUNCTION_PATTERN.test(reason);

/** Whether a fallback function reverted because it knows no such function. @param data of a revert, hex without 0x */
export function isMissingFunctionRevert(data: string): boolean {
  if (data.startsWith(ERROR_STRING_SELECTOR)) {
    const reason = data.slice(REASON_AT, REASON_AT + MAX_REASON_DIGITS);
    return isMissingFunctionReason(Buffer.from(reason, 'hex').toString('latin1'));
  }
  return QUOTED_SELECTOR_PATTERN.test(data);
}
