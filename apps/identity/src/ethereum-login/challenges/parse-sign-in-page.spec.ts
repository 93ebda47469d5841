import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSignInDomain } from './parse-sign-in-page.js';

const tryParse = (uri: string): string | undefined => {
  try {
    return parseSignInDomain(uri);
  } catch {
    return undefined;
  }
};

describe('parseSignInDomain', () => {
  it('parseSignInDomain: returns a host only if browsers and the grammar of RFC 3986 agree on it', () => {
    const piece = fc.constantFrom(
      'a.example',
      'b.example',
      '@',
      '\\',
      '/',
      ':',
      ':443',
      ':80',
      ':8080',
      '#',
      '?',
      '.',
      '%2e',
      'ｂ',
    );
    const scheme = fc.constantFrom('https://', 'http://', 'https:', 'https:/', 'HTTPS://', 'https:\\\\');
    fc.assert(
      fc.property(scheme, fc.array(piece, { minLength: 1, maxLength: 6 }), (start, pieces) => {
        const uri = start + pieces.join('');
        fc.pre(URL.canParse(uri));
        const host = tryParse(uri);
        if (host === undefined) return;
        expect(host).toBe(new URL(uri).host);
        // RFC 3986: the authority ends at the first of `/`, `?` and `#`.
        const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(uri) ?? [];
        expect(authority).toMatch(/^[a-z.]+(?::\d+)?$/);
        expect(authority.replace(/:(?:443|80)$/, '')).toBe(host.replace(/:(?:443|80)$/, ''));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['https://a.example/x', 'a.example'],
    ['https://A.Example:443', 'a.example'],
    ['http://localhost:5173/', 'localhost:5173'],
    ['http://[::1]:3000/', '[::1]:3000'],
    ['https://a.example:80/', 'a.example:80'],
  ])('parseSignInDomain: parses %s as %s', (uri, host) => {
    expect(parseSignInDomain(uri)).toBe(host);
  });

  it.each([
    'https://user@a.example/',
    'https://@a.example/',
    'https://a.example\\@b.example/',
    'https:a.example',
    'https://0x7f000001/',
    'https://127.1/',
    'https://a%2eexample/',
  ])('parseSignInDomain: refuses %s', (uri) => {
    expect(tryParse(uri)).toBeUndefined();
  });
});
