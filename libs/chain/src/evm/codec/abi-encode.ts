/** `0x` and 40 hex digits, in any case; checksums are the caller's affair. */
export type Address = `0x${string}`;

const MAX_UINT256 = (1n << 256n) - 1n;

/** One ABI word: 64 hex digits without 0x. Throws RangeError outside 0 … 2^256-1. */
export function encodeUint256(value: bigint): string {
  if (value < 0n || value > MAX_UINT256) throw new RangeError(`${value.toString()} is not a uint256`);
  return value.toString(16).padStart(64, '0');
}

/** Lower case. Throws RangeError on anything but an address. */
export function toLowerCaseAddress(address: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new RangeError(`${JSON.stringify(address)} is not an address`);
  return address.toLowerCase() as Address;
}

/** One ABI word: 64 lower-case hex digits without 0x. Throws RangeError on anything but an address. */
export function encodeAddress(address: string): string {
  return toLowerCaseAddress(address).slice(2).padStart(64, '0');
}

/** For counts, lengths and offsets of our own making: a word from a safe integer. */
export function encodeNumber(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The last argument of a call, of type `bytes`, in ABI words: where it begins, its length and itself. Hex without 0x. */
export function encodeBytesArgument(bytes: string, argumentCount: number): string {
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `${encodeNumber(argumentCount * 32)}${encodeNumber(bytes.length / 2)}${padded}`;
}
