import { createCipheriv, createDecipheriv, randomBytes, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM under a key of 32 bytes. The result is nonce, tag and ciphertext. `associatedData` binds it to
 * its context, so that it cannot be copied to another row.
 */
export function encryptAesGcm(key: Buffer, plain: Buffer, associatedData: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(associatedData),
  );
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/** Undefined for another key, other associated data, or a changed ciphertext. */
export function decryptAesGcm(key: Buffer, encrypted: Buffer, associatedData: string): Buffer | undefined {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  if (tag.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(tag);
  const plain = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    // `final` throws only when the tag does not match.
    return undefined;
  }
}

const KEY_BYTES = 32;

/** Derives an independent 32-byte key per purpose from one secret (HKDF-SHA-256, RFC 5869). */
export const deriveKey = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
