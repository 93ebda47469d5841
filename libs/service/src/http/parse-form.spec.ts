import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseForm } from './parse-form.js';

const parse = (text: string) => parseForm(Buffer.from(text));

describe('parseForm', () => {
  it('parseForm: reads back what URLSearchParams writes', () => {
    const value = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => text.isWellFormed() && !text.includes('\0'));
    fc.assert(
      fc.property(fc.dictionary(value, value, { maxKeys: 50, noNullPrototype: true }), (fields) => {
        expect(parse(new URLSearchParams(fields).toString())).toEqual(fields);
      }),
    );
  });

  it('parseForm: treats a field without a value as absent', () => {
    expect(parse('a=&b&c=1&')).toEqual({ c: '1' });
  });

  it.each([
    ['a=1&a=2', 'a: must not be repeated'],
    ['a=&a=2', 'a: must not be repeated'],
    ['a=%00', 'a: must not hold a NUL'],
    ['a=%ff', 'a: is not percent-encoded UTF-8'],
    ['a=%zz', 'a: is not percent-encoded UTF-8'],
    [Array.from({ length: 51 }, (_, at) => `f${at}=1`).join('&'), 'more than 50 fields'],
  ])('parseForm: rejects %s', (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });

  it('parseForm: rejects bytes that are not UTF-8', () => {
    expect(() => parseForm(Buffer.from([0x61, 0x3d, 0xff]))).toThrow('is not UTF-8');
  });

  it('parseForm: sets no prototype', () => {
    expect(Object.getPrototypeOf(parse('__proto__=x'))).toBe(Object.prototype);
  });
});
