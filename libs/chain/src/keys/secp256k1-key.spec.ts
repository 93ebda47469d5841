import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { secp256k1 as noble } from '@noble/curves/secp256k1';
import * as fc from 'fast-check';
import { Secp256k1Key, isSecp256k1Native } from './secp256k1-key.js';

describe('Secp256k1Key', () => {
  it('sign: makes with the native library the bytes that @noble/curves makes', () => {
    expect(isSecp256k1Native).toBe(true);
    fc.assert(
      fc.property(
        fc
          .uint8Array({ minLength: 32, maxLength: 32 })
          .filter((bytes) => bytes.some((byte) => byte > 0) && (bytes[0] ?? 0) < 255),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (secret, digest) => {
          const { r, s, yParity } = new Secp256k1Key(secret).sign(digest);
          const expected = noble.sign(digest, secret);
          expect(Buffer.concat([r, s])).toEqual(Buffer.from(expected.toCompactRawBytes()));
          expect(yParity).toBe(expected.recovery);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('sign: returns no signature that is not one of its public key', () => {
    const key = new Secp256k1Key(randomBytes(32));
    const other = new Secp256k1Key(randomBytes(32));
    Object.assign(key, { publicKey: other.publicKey });
    expect(() => key.sign(randomBytes(32))).toThrow('not one of its key');
  });
});
