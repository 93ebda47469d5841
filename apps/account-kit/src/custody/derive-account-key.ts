import { hkdfSync } from 'node:crypto';
import { deriveKey } from '@app/common';
import { encodeKeyInfo, type KeyInfo } from './encode-key-info.js';

/** Half as long again as the order of secp256k1, so that reducing it has no measurable bias (FIPS 186-5, A.2.1). */
const WIDE_BYTES = 48;
export const KEY_BYTES = 32;
export const ROOT_ID_BYTES = 8;
/** What a root is named by: its MAC of this text. No encoded name begins like this: they begin with a length of one byte. */
export const ROOT_ID_LABEL = 'gatehouse account-kit root id';
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The independent keys of one root secret: a leaked wrapping key derives no account. */
export interface KeyRoot {
  /** Names the root in rows without revealing it. */
  readonly id: string;
  readonly derivationKey: Buffer;
  readonly wrappingKey: Buffer;
}

export const createKeyRoot = (secret: Buffer): KeyRoot => ({
  id: deriveKey(secret, ROOT_ID_LABEL).subarray(0, ROOT_ID_BYTES).toString('hex'),
  derivationKey: deriveKey(secret, 'gatehouse account-kit derivation'),
  wrappingKey: deriveKey(secret, 'gatehouse account-kit wrapping'),
});

/** Derives the 32-byte private key of secp256k1, or the seed of ed25519. */
export function deriveAccountKey(root: KeyRoot, info: KeyInfo): Buffer {
  const length = countKeyBytes(info.curve);
  return toAccountKey(
    info.curve,
    Buffer.from(hkdfSync('sha256', root.derivationKey, '', encodeKeyInfo(info), length)),
  );
}

/** The number of derived bytes that a key is made of. */
export const countKeyBytes = (curve: KeyInfo['curve']): number =>
  curve === 'secp256k1' ? WIDE_BYTES : KEY_BYTES;

/** @param bytes as many as `countKeyBytes` says */
export const toAccountKey = (curve: KeyInfo['curve'], bytes: Buffer): Buffer =>
  curve === 'secp256k1' ? toSecp256k1Scalar(bytes) : bytes;

/** Maps bytes to a scalar between 1 and the order minus 1. */
function toSecp256k1Scalar(bytes: Buffer): Buffer {
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (SECP256K1_ORDER - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(KEY_BYTES * 2, '0'), 'hex');
}
