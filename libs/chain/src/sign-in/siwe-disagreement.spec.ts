import { expect, it } from '@jest/globals';
import { fullText } from '../../../../test/support/sign-in-vectors.js';
import { parseSignInMessage } from './parse-sign-in-message.js';
import { parseSignInMessageWithSiwe } from './parse-sign-in-message-with-siwe.js';
import type { SignInMessage } from './sign-in-message.js';

function parseFullText(): SignInMessage {
  const parsed = parseSignInMessage(fullText);
  if (!parsed.ok) throw new Error('the message of the test is invalid');
  return parsed.message;
}

const message = parseFullText();

it.each<[string, object, boolean]>([
  ['the same fields', {}, true],
  ['another domain', { domain: 'evil.example' }, false],
  ['another nonce', { nonce: 'anotherNonce' }, false],
  ['a missing expiration time', { expirationTime: undefined }, false],
  ['another order of resources', { resources: [...(message.resources ?? [])].reverse() }, false],
])('with %s from siwe, accepts the message: %j %s', async (_, changes, isAccepted) => {
  const all: Record<string, unknown> = { ...message, ...changes };
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  expect((await parseSignInMessageWithSiwe(fullText, () => Promise.resolve(fields))).ok).toBe(isAccepted);
});

it('parseSignInMessageWithSiwe: refuses a message that siwe refuses', async () => {
  expect(await parseSignInMessageWithSiwe(fullText, () => Promise.resolve(undefined))).toEqual({
    ok: false,
    problem: { field: 'message', reason: 'must be a message of EIP-4361' },
  });
});
