import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toJobId } from './to-job-id.js';

describe('a job id', () => {
  it('keeps what BullMQ takes', () => {
    for (const text of [
      '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11',
      'msg_01JD0000000000000000000000',
      '1a',
      'a.b',
    ])
      expect(toJobId(text)).toBe(text);
  });

  it('is one that BullMQ takes whatever the text, and differs where texts differ', () => {
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

  it('cannot be chosen to be another text’s hash', () => {
    expect(toJobId(toJobId('a:b'))).not.toBe(toJobId('a:b'));
  });
});
