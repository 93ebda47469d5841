import { describe, expect, it } from '@jest/globals';
import type { ClientPlan, Scope } from '@app/dto';
import { toAuthenticatedCaller } from '../../credentials/authenticated-caller.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { describeMissingScope } from './describe-missing-scope.js';

const client = (...scopes: Scope[]): ClientPlan => ({
  clientId: 'client_1',
  ownerId: 'owner_1',
  plan: 'free',
  limits: { perSecond: 10, perMonth: 10_000 },
  scopes,
});

const token: VerifiedToken = {
  id: 'jti',
  clientId: 'client_1',
  user: { id: 'user_1' },
  scopes: ['$public'],
  expiresAtMs: Infinity,
};
const credential: VerifiedToken = { ...token, credentialEndsAtMs: Infinity };

describe('a scope is missing', () => {
  it.each<[string, Scope, ReturnType<typeof toAuthenticatedCaller>, RegExp]>([
    ['to a key', 'token-gating', toAuthenticatedCaller(client()), /not approved for this client application/],
    [
      'to a key, and no key has it',
      'user:wallet:read',
      toAuthenticatedCaller(client('user:wallet:read')),
      /for users/,
    ],
    [
      'to a token and its application',
      'community:write',
      toAuthenticatedCaller(client(), token),
      /not approved/,
    ],
    [
      'to a token alone',
      'community:write',
      toAuthenticatedCaller(client('community:write'), token),
      /token was not granted/,
    ],
    [
      'to a token, of those that any may ask for',
      'user:read',
      toAuthenticatedCaller(client(), token),
      /not granted/,
    ],
    [
      'to every credential',
      'community:read',
      toAuthenticatedCaller(client('community:read'), credential),
      /never carries/,
    ],
    [
      'to one credential',
      'user:wallet:read',
      toAuthenticatedCaller(client('user:wallet:read'), credential),
      /not granted/,
    ],
  ])('%s', (_, scope, caller, said) => {
    expect(describeMissingScope(scope, caller)).toMatch(said);
    expect(describeMissingScope(scope, caller)).toContain(scope);
  });
});
