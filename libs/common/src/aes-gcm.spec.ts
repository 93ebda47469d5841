import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encryptAesGcm, decryptAesGcm } from './aes-gcm.js';

const key = randomBytes(32);
const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));

describe('AES-GCM', () => {
  it('AES-GCM: decrypts what was encrypted, with a new nonce each time', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (plain, name) => {
        const encrypted = encryptAesGcm(key, plain, name);
        expect(decryptAesGcm(key, encrypted, name)?.equals(plain)).toBe(true);
        expect(encryptAesGcm(key, plain, name).equals(encrypted)).toBe(false);
      }),
    );
  });

  it('AES-GCM: rejects another key, other associated data and any change', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (plain, at, mask) => {
        const encrypted = encryptAesGcm(key, plain, 'a');
        expect(decryptAesGcm(randomBytes(32), encrypted, 'a')).toBeUndefined();
        expect(decryptAesGcm(key, encrypted, 'b')).toBeUndefined();
        expect(decryptAesGcm(key, encrypted.subarray(0, at % encrypted.length), 'a')).toBeUndefined();
        const index = at % encrypted.length;
        encrypted[index] = (encrypted[index] ?? 0) ^ mask;
        expect(decryptAesGcm(key, encrypted, 'a')).toBeUndefined();
      }),
    );
  });
});
