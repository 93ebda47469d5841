import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hkdfExpand } from './hkdf-expand.js';

describe('hkdfExpand', () => {
  it('hkdfExpand: is HKDF after its first step', () => {
    const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, bytes, fc.integer({ min: 1, max: 100 }), (secret, info, length) => {
        const extracted = createHmac('sha256', '').update(secret).digest();
        const expected = Buffer.from(hkdfSync('sha256', secret, '', info, length));
        expect(hkdfExpand(extracted, info, length)).toEqual(expected);
      }),
    );
  });
});
