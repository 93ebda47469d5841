import { describe, expect, it } from '@jest/globals';
import { type Scope, SCOPES } from '@app/dto';
import fc from 'fast-check';
import {
  toEthereumCredentialResources,
  isEthereumCredentialScope,
  parseEthereumCredentialGrant,
} from './ethereum-credential-grant.js';

const HOME = 'https://gatehouse.example';
const readable = (Object.keys(SCOPES) as Scope[]).filter(isEthereumCredentialScope);
const clientId = fc.stringMatching(/^[\w-]{1,40}$/);
const grant = fc.record({ clientId, scopes: fc.subarray(readable, { minLength: 1 }) });

describe('the grant of an Ethereum credential', () => {
  it('grant of an Ethereum credential: is read from the resources that were written for it, and only for its service', () => {
    fc.assert(
      fc.property(grant, (one) => {
        const resources = toEthereumCredentialResources(HOME, one);
        expect(parseEthereumCredentialGrant(resources, HOME)).toEqual(one);
        expect(parseEthereumCredentialGrant(resources, 'https://elsewhere.example')).toBeUndefined();
      }),
    );
  });

  it('grant of an Ethereum credential: is none when a resource is missing, added or in another place', () => {
    fc.assert(
      fc.property(grant, fc.nat(), fc.string(), (one, place, more) => {
        const resources = toEthereumCredentialResources(HOME, one);
        const at = place % resources.length;
        const added = parseEthereumCredentialGrant(resources.toSpliced(at, 0, more), HOME);
        expect(added).toBeUndefined();
        const [first = '', second = '', ...rest] = resources;
        expect(parseEthereumCredentialGrant([second, first, ...rest], HOME)).toBeUndefined();
        expect(parseEthereumCredentialGrant(resources.slice(1), HOME)).toBeUndefined();
        expect(parseEthereumCredentialGrant([first, second], HOME)).toBeUndefined();
      }),
    );
  });

  it('grant of an Ethereum credential: reads, and only what is the user’s', () => {
    expect(readable).toEqual([
      '$public',
      'user:read',
      'user:wallet:read',
      'user:community:read',
      'user:verifiable-credential:read',
      'user:webauthn-credential:read',
    ]);
  });
});
