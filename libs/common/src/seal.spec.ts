import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seal, unseal } from './seal.js';

const key = randomBytes(32);
const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));

describe('sealing', () => {
  it('gives back what was sealed, and never twice the same', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (plain, name) => {
        const sealed = seal(key, plain, name);
        expect(unseal(key, sealed, name)?.equals(plain)).toBe(true);
        expect(seal(key, plain, name).equals(sealed)).toBe(false);
      }),
    );
  });

  it('notices another key, another name, and any change', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (plain, at, mask) => {
        const sealed = seal(key, plain, 'a');
        expect(unseal(randomBytes(32), sealed, 'a')).toBeUndefined();
        expect(unseal(key, sealed, 'b')).toBeUndefined();
        expect(unseal(key, sealed.subarray(0, at % sealed.length), 'a')).toBeUndefined();
        const index = at % sealed.length;
        sealed[index] = (sealed[index] ?? 0) ^ mask;
        expect(unseal(key, sealed, 'a')).toBeUndefined();
      }),
    );
  });
});
