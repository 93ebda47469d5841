import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';

export interface Ed25519SignatureClaim {
  readonly message: Uint8Array;
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** DER prefix of an Ed25519 SubjectPublicKeyInfo; the 32-byte key follows (RFC 8410). */
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the key signed the message. False for bytes that are not a public key, such as a program's account. */
export function isValidEd25519Signature({ message, key, signature }: Ed25519SignatureClaim): boolean {
  if (!isWellFormed(key, signature)) return false;
  return verify(null, message, toPublicKey(key), signature);
}

const verifyOnThread = promisify(verify);

/**
 * Verifies as `isValidEd25519Signature` does, on a thread of Node's pool: signatures of one turn of the event loop are
 * verified on all cores.
 */
export async function isValidEd25519SignatureOnThread({
  message,
  key,
  signature,
}: Ed25519SignatureClaim): Promise<boolean> {
  if (!isWellFormed(key, signature)) return false;
  return verifyOnThread(null, message, toPublicKey(key), signature);
}

const isWellFormed = (key: Uint8Array, signature: Uint8Array): boolean =>
  key.length === 32 && signature.length === 64 && !isSmallOrderPoint(key);

/** Making one takes as long as a verification. Accounts sign many messages with one key. */
const publicKeys = new LRUCache<string, KeyObject>({ max: 1_000 });

function toPublicKey(bytes: Uint8Array): KeyObject {
  const name = Buffer.from(bytes).toString('latin1');
  const known = publicKeys.get(name);
  if (known) return known;
  const key = createPublicKey({
    key: Buffer.concat([ED25519_SPKI_PREFIX, bytes]),
    format: 'der',
    type: 'spki',
  });
  publicKeys.set(name, key);
  return key;
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
