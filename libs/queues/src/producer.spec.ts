import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toJobId } from './producer.js';

describe('toJobId', () => {
  it('toJobId: keeps a valid job id', () => {
    for (const text of [
      '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11',
      'msg_01JD0000000000000000000000',
      '1a',
      'a.b',
    ])
      expect(toJobId(text)).toBe(text);
  });

  it('toJobId: returns a valid job id for any text, and different ids for different texts', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat().map(String),
      fc.stringMatching(/^[a-z:]{0,9}$/),
    );
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        expect(toJobId(one)).toMatch(/^(?!\d+$)[A-Za-z0-9._-]{1,128}$/);
        expect(toJobId(one) === toJobId(other)).toBe(one === other);
      }),
    );
  });

  it('toJobId: hashes a text that looks like the hash of another one', () => {
    expect(toJobId(toJobId('a:b'))).not.toBe(toJobId('a:b'));
  });
});
