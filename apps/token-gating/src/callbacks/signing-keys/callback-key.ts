import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { NewKey, RotatingKey, StoredKey } from '@app/key-ring';

/** An Ed25519 key and its signing period. */
export interface CallbackKey extends RotatingKey {
  /** Public key, base64url (RFC 8037). */
  readonly x: string;
  /** Undefined when the key was encrypted with another secret. */
  readonly privateKey: KeyObject | undefined;
}

/** Stored are the RFC 8037 members: public `x` in base64url, and private `d`, 32 bytes. */
export function generateCallbackKey(): NewKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kid: calculateJwkThumbprint(x), publicKey: x, bytes: Buffer.from(d, 'base64url') };
}

export function toCallbackKey({ publicKey: x = '', bytes, ...key }: StoredKey<'callback'>): CallbackKey {
  return { ...key, x, privateKey: bytes && toPrivateKey(x, bytes.toString('base64url')) };
}

const toPrivateKey = (x: string, d: string): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });

/** Thumbprint of RFC 7638 with the members of RFC 8037 section 2. */
function calculateJwkThumbprint(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
