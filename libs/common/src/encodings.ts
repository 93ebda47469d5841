import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes bytes as big-endian base 62 of fixed width. @throws RangeError when they do not fit */
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

const ID_BYTES = 12;
const ID_DIGITS = 17;

/** A random id of 96 bits with a readable prefix, such as `client_0123456789Abcdefg`. */
export const createPrefixedId = (prefix: string): string =>
  `${prefix}_${toBase62(randomBytes(ID_BYTES), ID_DIGITS)}`;

/** Decodes canonical base64url (RFC 4648 section 5); undefined for padding, whitespace or non-zero trailing bits. */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
