import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createClientCredential, parseClientCredential } from './client-credential.js';

describe('credential format', () => {
  it('reads back what it made, in its own kind only', () => {
    const { id, text } = createClientCredential('gth', 'local');
    expect(parseClientCredential('gth', text)).toEqual({ environment: 'local', id });
    expect(parseClientCredential('gths', text)).toBeUndefined();
  });

  it('refuses any single changed character', () => {
    const { text } = createClientCredential('gth', 'live');
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(text[at] !== character);
        return parseClientCredential('gth', text.slice(0, at) + character + text.slice(at + 1)) === undefined;
      }),
    );
  });

  it('refuses anything that is not of the form', () => {
    fc.assert(fc.property(fc.string(), (text) => parseClientCredential('gth', text) === undefined));
    expect(parseClientCredential('gth', `${createClientCredential('gth', 'live').text}\n`)).toBeUndefined();
  });
});
