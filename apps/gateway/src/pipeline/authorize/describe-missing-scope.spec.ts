import { describe, expect, it } from '@jest/globals';
import type { ClientPlan, Scope } from '@app/dto';
import { toAuthenticatedCaller } from '../../credentials/authenticated-caller.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { describeMissingScope } from './authorize.guard.js';

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
const credential: VerifiedToken = { ...token, credentialExpiresAtMs: Infinity };

describe('describeMissingScope', () => {
  it.each<[string, Scope, ReturnType<typeof toAuthenticatedCaller>, RegExp]>([
    [
      'of an API key',
      'token-gating',
      toAuthenticatedCaller(client()),
      /not approved for this client application/,
    ],
    [
      'of users, for an API key',
      'user:wallet:read',
      toAuthenticatedCaller(client('user:wallet:read')),
      /only users/i,
    ],
    [
      'of a token and its client application',
      'community:write',
      toAuthenticatedCaller(client(), token),
      /not approved/,
    ],
    [
      'of a token alone',
      'community:write',
      toAuthenticatedCaller(client('community:write'), token),
      /token was not granted/,
    ],
    [
      'of a token, allowed to any client application',
      'user:read',
      toAuthenticatedCaller(client(), token),
      /not granted/,
    ],
    [
      'of every Ethereum credential',
      'community:read',
      toAuthenticatedCaller(client('community:read'), credential),
      /never carries/,
    ],
    [
      'of one Ethereum credential',
      'user:wallet:read',
      toAuthenticatedCaller(client('user:wallet:read'), credential),
      /not granted/,
    ],
  ])('describeMissingScope: explains a missing scope %s', (_, scope, caller, expected) => {
    expect(describeMissingScope(scope, caller)).toMatch(expected);
    expect(describeMissingScope(scope, caller)).toContain(scope);
  });
});
