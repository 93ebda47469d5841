import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** Derives an independent 32-byte key per purpose from one secret (HKDF-SHA-256, RFC 5869). */
export const deriveKey = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
