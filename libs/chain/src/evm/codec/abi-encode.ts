import { type EvmAddress } from '@app/dto';

const MAX_UINT256 = (1n << 256n) - 1n;

/** Encodes an integer as an ABI word: 64 hex digits without 0x. Throws RangeError outside 0 … 2^256-1. */
export function encodeUint256(value: bigint): string {
  if (value < 0n || value > MAX_UINT256) throw new RangeError(`${value.toString()} is not a uint256`);
  return value.toString(16).padStart(64, '0');
}

/** Throws RangeError on anything but an address. Checksums are not verified. */
export function toLowerCaseAddress(address: string): EvmAddress {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new RangeError(`${JSON.stringify(address)} is not an address`);
  return address.toLowerCase() as EvmAddress;
}

/**
 * Encodes an address as an ABI word: 64 lower-case hex digits without 0x. Throws RangeError on anything but an address.
 */
export function encodeAddress(address: string): string {
  return toLowerCaseAddress(address).slice(2).padStart(64, '0');
}

/** Encodes a safe, non-negative integer, such as a count, a length or an offset, as an ABI word. */
export function encodeNumber(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The last argument of a call, of type `bytes`, as ABI words: offset, length and data. Hex without 0x. */
export function encodeBytesArgument(bytes: string, argumentCount: number): string {
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `${encodeNumber(argumentCount * 32)}${encodeNumber(bytes.length / 2)}${padded}`;
}
