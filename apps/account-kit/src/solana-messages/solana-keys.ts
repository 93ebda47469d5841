import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import bs58 from 'bs58';

/** PKCS #8 of an Ed25519 key (RFC 8410) before its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

export const toSolanaKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });

/** The base58 address of a key. */
export const toSolanaAddress = (key: KeyObject): string =>
  bs58.encode(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES));

/** @returns 64 bytes (RFC 8032) */
export const signSolanaMessage = (key: KeyObject, message: Uint8Array): Buffer => sign(null, message, key);
