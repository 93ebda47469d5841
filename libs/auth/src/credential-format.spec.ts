import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newCredential, parseCredential } from './credential-format.js';

describe('credential format', () => {
  it('reads back what it made, in its own kind only', () => {
    const { id, text } = newCredential('gth', 'local');
    expect(parseCredential('gth', text)).toEqual({ environment: 'local', id });
    expect(parseCredential('gths', text)).toBeUndefined();
  });

  it('refuses any single changed character', () => {
    const { text } = newCredential('gth', 'live');
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(text[at] !== character);
        return parseCredential('gth', text.slice(0, at) + character + text.slice(at + 1)) === undefined;
      }),
    );
  });

  it('refuses anything that is not of the form', () => {
    fc.assert(fc.property(fc.string(), (text) => parseCredential('gth', text) === undefined));
    expect(parseCredential('gth', `${newCredential('gth', 'live').text}\n`)).toBeUndefined();
  });
});
