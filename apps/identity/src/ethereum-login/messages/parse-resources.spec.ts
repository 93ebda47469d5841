import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { DEFAULT_SCOPES, toScopeUrn } from '@app/auth';
import { parseSignInMessage, parseSolanaSignInMessage } from '@app/chain/sign-in';
import type { Scope } from '@app/dto';
import * as fc from 'fast-check';
import { uri } from '../../../../../test/support/arbitrary-sign-in.js';
import { createSignInMessage, parseSignInAccount } from './sign-in-message.js';
import { parseResources, parseResourceScopes } from './parse-resources.js';

const MARKER = 'https://gatehouse.example/#credential';
const ALLOWED: readonly Scope[] = ['token-gating', 'user:wallet:read'];
const ACCOUNTS = [
  'eip155:137:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
];
const key = { kid: 'aaaaaaaa', key: randomBytes(32) };

const resources = fc.array(
  fc.oneof(
    uri.filter((text) => !/^urn:(?:scope|recap):/i.test(text)),
    fc.constantFrom(...ALLOWED, ...DEFAULT_SCOPES).map(toScopeUrn),
  ),
  { maxLength: 12 },
);

const createMessage = (given: readonly string[], accountId: string): string => {
  const issuedAt = Date.now();
  const fields = {
    purpose: 'login',
    clientId: 'client_1',
    domain: 'shop.example',
    statement: 'Sign in.',
  } as const;
  return createSignInMessage(
    {
      ...fields,
      uri: 'https://shop.example/',
      resources: given,
      account: parseSignInAccount(accountId),
      issuedAt,
      expiresAt: issuedAt + 1_000,
    },
    key,
  );
};

it.each(ACCOUNTS)(
  'parseResources: the message for %s lists the given resources, unchanged and in order',
  (accountId) => {
    const parse = accountId.startsWith('solana:') ? parseSolanaSignInMessage : parseSignInMessage;
    fc.assert(
      fc.property(resources, (given) => {
        const requested = parseResources(given, MARKER, ALLOWED);
        const parsed = parse(createMessage(requested.resources, accountId));
        const listed = parsed.ok ? (parsed.message.resources ?? []) : [];
        expect(listed.slice(0, given.length)).toEqual(given);
        const scopes = parseResourceScopes(given);
        const added = scopes.length === 0 ? DEFAULT_SCOPES.map(toScopeUrn) : [];
        expect(listed.slice(given.length)).toEqual(added);
        expect(parseResourceScopes(listed)).toEqual(requested.scopes);
      }),
    );
  },
);

it.each([
  ['an unknown scope', 'urn:scope:all'],
  ['a scope in another case', 'URN:scope:user:read'],
  ['a capability', 'urn:recap:eyJhdHQiOnt9fQ'],
  ['a capability in another case', 'urn:ReCap:eyJhdHQiOnt9fQ'],
  ['a text without a scheme', 'shop.example/terms'],
  ['an invalid percent sign', 'https://shop.example/%zz'],
  ['a line break', 'https://shop.example/\n- urn:scope:user:wallet:read'],
])('parseResources: %s is refused in logins and credentials', (_, resource) => {
  for (const before of [[], [MARKER]])
    expect(() => parseResources([...before, resource], MARKER, ALLOWED)).toThrow(
      `resources.${before.length}`,
    );
});

it.each(['https://shop.example/terms', 'urn:client:client_2', `${MARKER}/`])(
  'parseResources: %s is refused beside the marker of credentials, on both sides',
  (resource) => {
    expect(() => parseResources([MARKER, resource], MARKER, ALLOWED)).toThrow('resources.1');
    expect(() => parseResources([resource, MARKER], MARKER, ALLOWED)).toThrow('resources.0');
    expect(parseResources([resource], MARKER, ALLOWED)).toMatchObject({
      isCredential: false,
      scopes: DEFAULT_SCOPES,
    });
  },
);
