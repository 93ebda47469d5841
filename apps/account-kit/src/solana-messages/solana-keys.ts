import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import bs58 from 'bs58';

/** PKCS #8 of an Ed25519 key (RFC 8410) before its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

export const toSolanaKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** Deriving one takes longer than a signature. Keys that are kept sign many messages, and a key never changes. */
const addresses = new WeakMap<KeyObject, string>();

/** The base58 address of a key. */
export function toSolanaAddress(key: KeyObject): string {
  const known = addresses.get(key);
  if (known !== undefined) return known;
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const address = bs58.encode(publicKey.subarray(-PUBLIC_KEY_BYTES));
  addresses.set(key, address);
  return address;
}

/** @returns 64 bytes (RFC 8032) */
export const signSolanaMessage = (key: KeyObject, message: Uint8Array): Buffer => sign(null, message, key);
