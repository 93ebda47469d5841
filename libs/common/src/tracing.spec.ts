import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatTraceparent, isSampled, parseTraceparent } from './tracing.js';

const hex = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => /[^0]/.test(text));

describe('parseTraceparent', () => {
  it('parseTraceparent: reads what formatTraceparent writes', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.constantFrom(0, 1), (traceId, spanId, traceFlags) => {
        const span = { traceId, spanId, traceFlags };
        expect(parseTraceparent(formatTraceparent(span))).toEqual({ ...span, isRemote: true });
      }),
    );
  });

  it('parseTraceparent: reads no other flag than that of sampling', () => {
    const parsed = parseTraceparent(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-fe`);
    expect(parsed && isSampled(parsed)).toBe(false);
  });

  it.each([
    undefined,
    ['00-a', '00-b'],
    '',
    'nonsense',
    `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\n`,
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
  ])('parseTraceparent: ignores %j', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});
