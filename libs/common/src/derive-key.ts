import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A key for one purpose out of a secret that has several (HKDF-SHA-256, RFC 5869): none tells anything of another. */
export const deriveKey = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
