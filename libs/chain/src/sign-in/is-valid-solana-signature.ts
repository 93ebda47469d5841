import { createPublicKey, verify } from 'node:crypto';
import base58 from 'bs58';
import { parseSolanaAddress } from './parse-solana-address.js';

export interface SolanaSignatureClaim {
  readonly message: string;
  /** Base58. */
  readonly address: string;
  /** 64 bytes in base58 (as Solana writes them), padded base64 or hex with 0x; the three differ in length. */
  readonly signature: string;
}

/** DER prefix of an Ed25519 SubjectPublicKeyInfo; the 32-byte key follows (RFC 8410). */
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the account's key signed the text. False for an address that is not a public key, such as a program's account. */
export function isValidSolanaSignature({ message, address, signature }: SolanaSignatureClaim): boolean {
  const key = parseSolanaAddress(address);
  const bytes = decodeSignature(signature);
  if (!key || bytes?.length !== 64 || isSmallOrderPoint(key)) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([ED25519_SPKI_PREFIX, key]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(message, 'utf8'), publicKey, bytes);
}

function decodeSignature(text: string): Uint8Array | undefined {
  if (/^0x[0-9a-fA-F]{128}$/.test(text)) return Buffer.from(text.slice(2), 'hex');
  if (/^[A-Za-z0-9+/]{86}==$/.test(text)) return decodeCanonicalBase64(text);
  if (/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return base58.decode(text);
  return undefined;
}

/** Rejects base64 with non-zero bits after the last byte, a second encoding of the same bytes. */
function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/**
 * The y coordinates, also in the form y + p, of the points of Curve25519 whose order divides eight. Anyone can forge signatures
 * for such a public key. OpenSSL accepts them, Solana rejects them; the system program's address, all zeros, is one.
 */
const SMALL_ORDER_POINTS = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** Whether a 32-byte public key is a point of small order. */
function isSmallOrderPoint(key: Uint8Array): boolean {
  const y = Buffer.from(key);
  // The topmost bit is the sign of x.
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  return SMALL_ORDER_POINTS.has(y.toString('hex'));
}
