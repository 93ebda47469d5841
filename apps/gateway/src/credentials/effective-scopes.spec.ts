import { describe, expect, it } from '@jest/globals';
import { type Scope, SCOPES } from '@app/dto';
import fc from 'fast-check';
import { getEthereumCredentialScopes, getEffectiveScopes } from './effective-scopes.js';

const OF_BOTH: Scope[] = [
  'token-gating',
  'accountkit',
  'community:analytics',
  'community:read',
  'community:write',
  'operator',
  'user:client-application:write',
];
const someScopes = fc.subarray(Object.keys(SCOPES) as Scope[]);

describe('what a caller may do', () => {
  it('is with a key alone what its client application has, but nothing of users', () => {
    expect(getEffectiveScopes(['token-gating', 'user:wallet:read', 'community:read'])).toEqual([
      'token-gating',
      'community:read',
    ]);
  });

  it.each(OF_BOTH)('is with a token %s only when the client application has it too', (scope) => {
    expect(getEffectiveScopes([], [scope])).toEqual([]);
    expect(getEffectiveScopes([scope], [])).toEqual([]);
    expect(getEffectiveScopes([scope], [scope])).toEqual([scope]);
  });

  it.each<Scope>(['$public', 'openid', 'user:read', 'user:wallet:write', 'verifiable-credential:read'])(
    'is with a token %s when its user granted it',
    (scope) => {
      expect(getEffectiveScopes([], [scope])).toEqual([scope]);
      expect(getEffectiveScopes([scope], [])).toEqual([]);
    },
  );

  it('is never more than the token says', () => {
    fc.assert(
      fc.property(someScopes, someScopes, (client, token) =>
        getEffectiveScopes(client, token).every(
          (scope) => token.includes(scope) && (!OF_BOTH.includes(scope) || client.includes(scope)),
        ),
      ),
    );
  });
});

describe('what an Ethereum credential is good for', () => {
  it('is what its client application may ask for now, and what any may', () => {
    const named: Scope[] = ['$public', 'user:read', 'user:wallet:read'];
    expect(getEthereumCredentialScopes(['user:wallet:read'], named)).toEqual(named);
    expect(getEthereumCredentialScopes([], named)).toEqual(['$public', 'user:read']);
  });

  it('is reading, whatever else it says and its client application has', () => {
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
