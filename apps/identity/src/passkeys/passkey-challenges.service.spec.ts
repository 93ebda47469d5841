import { MINUTE_MS } from '@app/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CredentialHasher } from '../applications/credentials/credential-issuer.js';
import { PasskeyChallengesService } from './passkey-challenges.service.js';

const service = (pepper = 'pepper') =>
  new PasskeyChallengesService(new CredentialHasher(Buffer.from(pepper)));
const encode = (challenge: Buffer) => challenge.toString('base64url');

describe('PasskeyChallengesService', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('isValid: accepts a challenge for its session and purpose only, also at another replica', () => {
    const challenge = encode(service().create('login', 'session'));
    expect(service().isValid('login', 'session', challenge)).toBe(true);
    expect(service().isValid('login', 'session2', challenge)).toBe(false);
    expect(service().isValid('registration', 'session', challenge)).toBe(false);
    expect(service('another').isValid('login', 'session', challenge)).toBe(false);
  });

  it('isValid: accepts a challenge for five minutes, and from a replica whose clock is ahead', () => {
    jest.useFakeTimers();
    jest.setSystemTime(10 * MINUTE_MS);
    const challenge = encode(service().create('login', 'session'));
    for (const [minutes, expected] of [
      [15, true],
      [15.001, false],
      [5, true],
      [4.999, false],
    ] as const) {
      jest.setSystemTime(minutes * MINUTE_MS);
      expect([minutes, service().isValid('login', 'session', challenge)]).toEqual([minutes, expected]);
    }
  });

  it('isValid: refuses every challenge but the one that was made, byte for byte', () => {
    const challenge = service().create('login', 'session');
    fc.assert(
      fc.property(fc.nat(challenge.length - 1), fc.integer({ min: 1, max: 255 }), (at, bits) => {
        const changed = Buffer.from(challenge);
        changed[at] = (changed[at] ?? 0) ^ bits;
        expect(service().isValid('login', 'session', encode(changed))).toBe(false);
      }),
    );
    for (const text of ['', `${encode(challenge)}=`, ` ${encode(challenge)}`, challenge.toString('base64')])
      if (text !== encode(challenge)) expect(service().isValid('login', 'session', text)).toBe(false);
  });
});
