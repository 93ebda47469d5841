import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { changed, signInMessage } from '../../../../test/support/arbitrary-sign-in.js';
import { fullText, malformedMessages } from '../../../../test/support/sign-in-vectors.js';
import { formatSignInMessage } from './format-sign-in-message.js';
import { parseSignInMessage } from './parse-sign-in-message.js';
import { parseSignInMessageWithSiwe } from './parse-sign-in-message-with-siwe.js';

describe('parseSignInMessageWithSiwe', () => {
  it('parseSignInMessageWithSiwe: accepts every message that formatSignInMessage creates, with the same fields', async () => {
    await fc.assert(
      fc.asyncProperty(signInMessage, async (message) => {
        expect(await parseSignInMessageWithSiwe(formatSignInMessage(message))).toEqual({ ok: true, message });
      }),
    );
  });

  it('parseSignInMessageWithSiwe: returns the result of parseSignInMessage for changed messages', async () => {
    await fc.assert(
      fc.asyncProperty(changed(fullText), async (text) => {
        expect(await parseSignInMessageWithSiwe(text)).toEqual(parseSignInMessage(text));
      }),
      { numRuns: 300 },
    );
  });

  it.each(malformedMessages)('parseSignInMessageWithSiwe: refuses %s', async (_, text, field) => {
    expect(await parseSignInMessageWithSiwe(text)).toMatchObject({ ok: false, problem: { field } });
  });
});
