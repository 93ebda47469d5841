import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SiweMessage } from 'siwe';
import { changed, signInMessage } from '../../../../test/support/arbitrary-sign-in.js';
import { fullText, malformedMessages } from '../../../../test/support/sign-in-vectors.js';
import { formatSignInMessage } from './format-sign-in-message.js';
import { parseSignInMessage } from './parse-sign-in-message.js';

/** The fields that the npm package `siwe` parses; undefined if it rejects the text. */
function parseWithSiwe(text: string): object | undefined {
  try {
    return Object.fromEntries(Object.entries(new SiweMessage(text)).filter(([field]) => field !== 'version'));
  } catch {
    return undefined;
  }
}

/** Messages that siwe accepts and we reject. */
const acceptedBySiwe = [
  'more than 4 KiB',
  'a domain that is only a port',
  'chain id 0',
  'chain id 01',
  'chain id 2^53',
  'a chain id of 40 digits',
  'small letters in a time',
  'a leap second',
];

describe('compatibility with siwe', () => {
  it.each(malformedMessages)(
    'compatibility with siwe: siwe rejects %s, unless it is a known difference',
    (family, text) => {
      expect(parseWithSiwe(text) === undefined).toBe(!acceptedBySiwe.includes(family));
    },
  );

  it('compatibility with siwe: siwe parses every formatted message to the same fields', () => {
    fc.assert(
      fc.property(signInMessage, (message) => {
        expect(parseWithSiwe(formatSignInMessage(message))).toEqual(message);
      }),
    );
  });

  it('compatibility with siwe: siwe parses every message that we accept to the same fields', () => {
    fc.assert(
      fc.property(
        fc.oneof(changed(fullText), signInMessage.map(formatSignInMessage).chain(changed)),
        (text) => {
          const parsed = parseSignInMessage(text);
          if (parsed.ok) expect(parseWithSiwe(text)).toEqual(parsed.message);
        },
      ),
      { numRuns: 500 },
    );
  });
});
