import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isValidSignInNonce, createSignInNonce, type NonceBinding } from './sign-in-nonce.js';

const KEY = { kid: 'k1234567', key: randomBytes(32) };
const keyOf = (kid: string) => (kid === KEY.kid ? KEY.key : undefined);
const BINDING: NonceBinding = {
  purpose: 'login',
  clientId: 'client_1',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  expirationTime: '2026-11-20T12:00:00.000Z',
};

describe('a sign-in nonce', () => {
  it('is letters and digits, another one each time, and good for what it was made for', () => {
    const [one, two] = [createSignInNonce(BINDING, KEY), createSignInNonce(BINDING, KEY)];
    expect(one).toMatch(/^[0-9A-Za-z]{47}$/);
    expect(one).not.toBe(two);
    expect(isValidSignInNonce(BINDING, one, keyOf)).toBe(true);
  });

  it.each<[string, Partial<NonceBinding>]>([
    ['purpose', { purpose: 'credential' }],
    ['client application', { clientId: 'client_2' }],
    ['address', { address: '' }],
    ['expiry', { expirationTime: '2026-11-20T12:00:00.001Z' }],
    // The same letters, cut at another place.
    ['cut', { clientId: 'client_10', address: BINDING.address.slice(1) }],
  ])('is good for no other %s', (_what, other) => {
    const nonce = createSignInNonce(BINDING, KEY);
    expect(isValidSignInNonce({ ...BINDING, ...other }, nonce, keyOf)).toBe(false);
  });

  it('is not good with another key, or when the key is gone', () => {
    const nonce = createSignInNonce(BINDING, KEY);
    expect(isValidSignInNonce(BINDING, nonce, () => randomBytes(32))).toBe(false);
    expect(isValidSignInNonce(BINDING, nonce, () => undefined)).toBe(false);
  });

  it('cannot be changed in any place', () => {
    const nonce = createSignInNonce(BINDING, KEY);
    fc.assert(
      fc.property(fc.nat(nonce.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(nonce[at] !== character);
        return !isValidSignInNonce(BINDING, nonce.slice(0, at) + character + nonce.slice(at + 1), keyOf);
      }),
    );
  });

  it('is nothing that nobody made', () => {
    fc.assert(fc.property(fc.string(), (text) => !isValidSignInNonce(BINDING, text, () => KEY.key)));
    const nonce = createSignInNonce(BINDING, KEY);
    for (const text of [`${nonce}\n`, ` ${nonce}`, `${nonce}0`, nonce.slice(0, -1), ''])
      expect(isValidSignInNonce(BINDING, text, keyOf)).toBe(false);
  });
});
