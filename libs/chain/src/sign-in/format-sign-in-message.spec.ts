import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { changed, signInMessage } from '../../../../test/support/arbitrary-sign-in.js';
import { fullText } from '../../../../test/support/sign-in-vectors.js';
import { formatSignInMessage } from './format-sign-in-message.js';
import { parseSignInMessage } from './parse-sign-in-message.js';
import { SignInMessageError, type SignInMessage } from './sign-in-message.js';

const message: SignInMessage = {
  domain: 'gatehouse.example',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  uri: 'https://gatehouse.example/',
  chainId: 1,
  nonce: '12345678',
  issuedAt: '2026-11-20T16:00:00Z',
};

describe('a formatted message', () => {
  it('formatted message: is parsed to the same fields', () => {
    fc.assert(
      fc.property(signInMessage, (given) => {
        expect(parseSignInMessage(formatSignInMessage(given))).toEqual({ ok: true, message: given });
      }),
    );
  });

  it('formatted message: has times that Date.parse accepts', () => {
    fc.assert(
      fc.property(signInMessage, ({ issuedAt, expirationTime = issuedAt }) => {
        expect(Date.parse(issuedAt)).not.toBeNaN();
        expect(Date.parse(expirationTime)).not.toBeNaN();
      }),
    );
  });
});

describe('a parsed message', () => {
  it('parsed message: is formatted to the same text, byte for byte', () => {
    fc.assert(
      fc.property(
        fc.oneof(changed(fullText), signInMessage.map(formatSignInMessage).chain(changed)),
        (text) => {
          const parsed = parseSignInMessage(text);
          if (parsed.ok) expect(formatSignInMessage(parsed.message)).toBe(text);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('parsed message: never throws for an arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseSignInMessage(text).ok).toBe(false);
      }),
    );
  });
});

describe('a message that could not be parsed', () => {
  it.each<[string, Partial<SignInMessage>]>([
    ['domain', { domain: 'gatehouse.example\nevil' }],
    ['domain', { domain: '' }],
    ['scheme', { scheme: 'https://evil.example/' }],
    ['address', { address: message.address.toLowerCase() }],
    ['statement', { statement: 'Sign in.\n\nURI: https://evil.example/' }],
    ['uri', { uri: 'https://gatehouse.example/\nVersion: 1' }],
    ['chainId', { chainId: 0 }],
    ['chainId', { chainId: 1.5 }],
    ['chainId', { chainId: 1e21 }],
    ['nonce', { nonce: '12345678\nIssued At: 1' }],
    ['issuedAt', { issuedAt: 'now' }],
    ['expirationTime', { expirationTime: '2026-02-30T00:00:00Z' }],
    ['notBefore', { notBefore: '' }],
    ['requestId', { requestId: 'a\nb' }],
    ['resources', { resources: ['urn:a:b\n- urn:c:d'] }],
    ['message', { resources: Array.from({ length: 100 }, () => `urn:a:${'b'.repeat(50)}`) }],
  ])('is not formatted: %s %j', (field, fields) => {
    const formatMessage = () => formatSignInMessage({ ...message, ...fields });
    expect(formatMessage).toThrow(SignInMessageError);
    expect(formatMessage).toThrow(expect.objectContaining({ field }));
  });
});
