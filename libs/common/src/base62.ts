const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Big-endian base 62 of fixed width, so that the length of the text says nothing about the value. */
export function toBase62(bytes: Uint8Array, width: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
  let text = '';
  while (text.length < width) {
    text = ALPHABET.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  if (value > 0n) throw new RangeError(`${bytes.length} bytes do not fit ${width} base-62 digits`);
  return text;
}
