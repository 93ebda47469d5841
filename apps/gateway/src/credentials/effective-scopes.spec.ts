import { describe, expect, it } from '@jest/globals';
import { type Scope, SCOPES } from '@app/dto';
import fc from 'fast-check';
import { getEthereumCredentialScopes, getEffectiveScopes } from './effective-scopes.js';

const CLIENT_SCOPES: Scope[] = [
  'token-gating',
  'accountkit',
  'community:analytics',
  'community:read',
  'community:write',
  'operator',
  'user:client-application:write',
];
const someScopes = fc.subarray(Object.keys(SCOPES) as Scope[]);

describe('getEffectiveScopes', () => {
  it('getEffectiveScopes: gives an API key the scopes of its client application, without user scopes', () => {
    expect(getEffectiveScopes(['token-gating', 'user:wallet:read', 'community:read'])).toEqual([
      'token-gating',
      'community:read',
    ]);
  });

  it.each(CLIENT_SCOPES)(
    'getEffectiveScopes: gives a token %s only if the client application has it, too',
    (scope) => {
      expect(getEffectiveScopes([], [scope])).toEqual([]);
      expect(getEffectiveScopes([scope], [])).toEqual([]);
      expect(getEffectiveScopes([scope], [scope])).toEqual([scope]);
    },
  );

  it.each<Scope>(['$public', 'openid', 'user:read', 'user:wallet:write', 'verifiable-credential:read'])(
    'getEffectiveScopes: gives a token %s if its user granted it',
    (scope) => {
      expect(getEffectiveScopes([], [scope])).toEqual([scope]);
      expect(getEffectiveScopes([scope], [])).toEqual([]);
    },
  );

  it('getEffectiveScopes: never gives more than the scopes of the token', () => {
    fc.assert(
      fc.property(someScopes, someScopes, (client, token) =>
        getEffectiveScopes(client, token).every(
          (scope) => token.includes(scope) && (!CLIENT_SCOPES.includes(scope) || client.includes(scope)),
        ),
      ),
    );
  });
});

describe('getEthereumCredentialScopes', () => {
  it('getEthereumCredentialScopes: allows the default scopes and those that the client application has now', () => {
    const named: Scope[] = ['$public', 'user:read', 'user:wallet:read'];
    expect(getEthereumCredentialScopes(['user:wallet:read'], named)).toEqual(named);
    expect(getEthereumCredentialScopes([], named)).toEqual(['$public', 'user:read']);
  });

  it('getEthereumCredentialScopes: allows only read scopes', () => {
    const all = Object.keys(SCOPES) as Scope[];
    expect(
      getEthereumCredentialScopes(all, all).every((scope) => /^\$public$|^user:.*read$/.test(scope)),
    ).toBe(true);
    fc.assert(
      fc.property(someScopes, someScopes, (client, credential) =>
        getEthereumCredentialScopes(client, credential).every(
          (scope) =>
            credential.includes(scope) &&
            (['$public', 'user:read'].includes(scope) || client.includes(scope)),
        ),
      ),
    );
  });
});
