import { type EvmAddress } from '@app/dto';

/** The contract returned data that its standard does not allow. */
export class MalformedReturnDataError extends Error {
  override readonly name = 'MalformedReturnDataError';
}

/** Some old compilers and proxies pad a one-word result; no known one pads beyond this. */
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
