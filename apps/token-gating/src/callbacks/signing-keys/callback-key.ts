import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { RotatingKey } from '@app/common';

/** An Ed25519 key and its signing period. */
export interface CallbackKey extends RotatingKey {
  /** Public key, base64url (RFC 8037). */
  readonly x: string;
  /** Undefined when the key was encrypted with another secret. */
  readonly privateKey: KeyObject | undefined;
}

/** @returns RFC 8037 members: public `x` and private `d`, 32 bytes in base64url each */
export function generateCallbackKey(): { kid: string; x: string; d: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kid: calculateJwkThumbprint(x), x, d };
}

export const toPrivateKey = (x: string, d: string): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });

/** Thumbprint of RFC 7638 with the members of RFC 8037 section 2. */
export function calculateJwkThumbprint(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
