import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createClientCredential, parseClientCredential } from './client-credential.js';

describe('client credentials', () => {
  it('client credentials: parse as the kind that they were created as', () => {
    const { id, text } = createClientCredential('gth', 'local');
    expect(parseClientCredential('gth', text)).toEqual({ environment: 'local', id });
    expect(parseClientCredential('gths', text)).toBeUndefined();
  });

  it('client credentials: are rejected with any changed character', () => {
    const { text } = createClientCredential('gth', 'live');
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(text[at] !== character);
        return parseClientCredential('gth', text.slice(0, at) + character + text.slice(at + 1)) === undefined;
      }),
    );
  });

  it('client credentials: reject arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseClientCredential('gth', text) === undefined));
    expect(parseClientCredential('gth', `${createClientCredential('gth', 'live').text}\n`)).toBeUndefined();
  });
});
