import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SiweMessage } from 'siwe';
import { changed, signInMessage } from '../../../../test/support/arbitrary-sign-in.js';
import { fullText, malformedMessages } from '../../../../test/support/sign-in-vectors.js';
import { formatSignInMessage } from './format-sign-in-message.js';
import { parseSignInMessage } from './parse-sign-in-message.js';

/** What the parser of the npm package `siwe` makes of a text, which knows the grammar and takes half a millisecond for it. */
function siweReads(text: string): object | undefined {
  try {
    return Object.fromEntries(Object.entries(new SiweMessage(text)).filter(([field]) => field !== 'version'));
  } catch {
    return undefined;
  }
}

/** Where we refuse what its grammar allows. */
const stricter = [
  'more than 4 KiB',
  'a domain that is only a port',
  'chain id 0',
  'chain id 01',
  'chain id 2^53',
  'a chain id of 40 digits',
  'small letters in a time',
  'a leap second',
];

describe('the parser of siwe', () => {
  it.each(malformedMessages)('refuses %s, or we know why we are stricter', (family, text) => {
    expect(siweReads(text) === undefined).toBe(!stricter.includes(family));
  });

  it('reads every message of ours as we do', () => {
    fc.assert(
      fc.property(signInMessage, (message) => {
        expect(siweReads(formatSignInMessage(message))).toEqual(message);
      }),
    );
  });

  it('reads whatever we read, and alike', () => {
    fc.assert(
      fc.property(
        fc.oneof(changed(fullText), signInMessage.map(formatSignInMessage).chain(changed)),
        (text) => {
          const parsed = parseSignInMessage(text);
          if (parsed.ok) expect(siweReads(text)).toEqual(parsed.message);
        },
      ),
      { numRuns: 500 },
    );
  });
});
