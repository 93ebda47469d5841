import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dropMediaTypeParameters, namesMediaType } from './accept-header.js';

describe('dropMediaTypeParameters', () => {
  it.each([
    ['application/json', 'application/json'],
    ['application/json;charset=UTF-8', 'application/json'],
    ['application/json; charset="utf-8" ; q=0.5', 'application/json;q=0.5'],
    ['text/html;level=1;Q=0.3, text/csv', 'text/html;Q=0.3, text/csv'],
    ['application/ld+json;profile="a, text/csv;q=1";q=0.2,text/html', 'application/ld+json;q=0.2, text/html'],
    [String.raw`text/html;a="\",text/csv;q=1"`, 'text/html'],
    ['text/html;a="never closed, text/csv', 'text/html'],
    ['application/json, application/*+json;charset=UTF-8', 'application/json, application/*+json'],
  ])('dropMediaTypeParameters: reads %s as %s', (accept, simplified) => {
    expect(dropMediaTypeParameters(accept)).toBe(simplified);
  });

  it('dropMediaTypeParameters: keeps only types and q of any header, in its order', () => {
    const value = fc.oneof(
      fc.stringMatching(/^[a-z0-9-]{1,8}$/),
      fc.stringMatching(/^[a-z,;= ]{0,8}$/).map((text) => `"${text}"`),
    );
    const mediaRange = fc.record({
      type: fc.constantFrom('text/html', 'application/json', '*/*', 'text/csv'),
      parameters: fc.array(fc.tuple(fc.constantFrom('charset', 'v', 'profile', 'qs'), value), {
        maxLength: 3,
      }),
      q: fc.option(fc.constantFrom('0', '0.5', '1'), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(mediaRange, { minLength: 1, maxLength: 5 }), (ranges) => {
        const accept = ranges.map(({ type, parameters, q }) =>
          [type, ...parameters.map(([name, text]) => `${name}=${text}`), ...(q ? [`q=${q}`] : [])].join(';'),
        );
        const expected = ranges.map(({ type, q }) => (q ? `${type};q=${q}` : type));
        expect(dropMediaTypeParameters(accept.join(', '))).toBe(expected.join(', '));
      }),
    );
  });

  it('dropMediaTypeParameters: takes linear time for the longest header that is quoted throughout', () => {
    const accept = `text/html;a=${String.raw`\"`.repeat(8_000)}`;
    expect(dropMediaTypeParameters(accept)).toBe('text/html');
  });
});

describe('namesMediaType', () => {
  it.each([
    ['application/json', true],
    ['text/html, Application/JSON;q=0.1', true],
    ['*/*', false],
    ['application/*', false],
    ['', false],
  ])('namesMediaType: says of %s: %s', (accept, isNamed) => {
    expect(namesMediaType(accept, ['application/json'])).toBe(isNamed);
  });
});
