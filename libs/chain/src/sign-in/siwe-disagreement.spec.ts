import { expect, it, jest } from '@jest/globals';
import { fullText } from '../../../../test/support/sign-in-vectors.js';
import type { SignInMessage } from './sign-in-message.js';

const siweFields = jest.fn<() => object>();

jest.unstable_mockModule('siwe', () => ({
  SiweMessage: class {
    constructor() {
      Object.assign(this, siweFields());
    }
  },
}));

const { parseSignInMessage } = await import('./parse-sign-in-message.js');
const { parseSignInMessageWithSiwe } = await import('./parse-sign-in-message-with-siwe.js');

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
  ['another version', { version: '2' }, false],
])('with %s from siwe, accepts the message: %j %s', async (_, changes, isAccepted) => {
  siweFields.mockReturnValue({ version: '1', ...message, ...changes });
  expect((await parseSignInMessageWithSiwe(fullText)).ok).toBe(isAccepted);
});

it('refuses a message that siwe refuses', async () => {
  siweFields.mockImplementation(() => {
    throw new Error('invalid message');
  });
  expect(await parseSignInMessageWithSiwe(fullText)).toEqual({
    ok: false,
    problem: { field: 'message', reason: 'must be a message of EIP-4361' },
  });
});
