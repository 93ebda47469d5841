import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encryptAesGcm, decryptAesGcm } from './aes-gcm.js';

const key = randomBytes(32);
const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));

describe('sealing', () => {
  it('gives back what was sealed, and never twice the same', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (plain, name) => {
        const sealed = encryptAesGcm(key, plain, name);
        expect(decryptAesGcm(key, sealed, name)?.equals(plain)).toBe(true);
        expect(encryptAesGcm(key, plain, name).equals(sealed)).toBe(false);
      }),
    );
  });

  it('notices another key, another name, and any change', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (plain, at, mask) => {
        const sealed = encryptAesGcm(key, plain, 'a');
        expect(decryptAesGcm(randomBytes(32), sealed, 'a')).toBeUndefined();
        expect(decryptAesGcm(key, sealed, 'b')).toBeUndefined();
        expect(decryptAesGcm(key, sealed.subarray(0, at % sealed.length), 'a')).toBeUndefined();
        const index = at % sealed.length;
        sealed[index] = (sealed[index] ?? 0) ^ mask;
        expect(decryptAesGcm(key, sealed, 'a')).toBeUndefined();
      }),
    );
  });
});
