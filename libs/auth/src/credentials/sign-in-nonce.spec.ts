import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isValidSignInNonce, createSignInNonce, type NonceBinding } from './sign-in-nonce.js';

const KEY = { kid: 'k1234567', key: randomBytes(32) };
const findKey = (kid: string) => (kid === KEY.kid ? KEY.key : undefined);
const BINDING: NonceBinding = {
  purpose: 'login',
  clientId: 'client_1',
  text: 'shop.example wants you to sign in',
};

describe('sign-in nonces', () => {
  it('sign-in nonces: are alphanumeric, unique, and valid for their binding', () => {
    const [one, two] = [createSignInNonce(BINDING, KEY), createSignInNonce(BINDING, KEY)];
    expect(one).toMatch(/^[0-9A-Za-z]{47}$/);
    expect(one).not.toBe(two);
    expect(isValidSignInNonce(BINDING, one, findKey)).toBe(true);
  });

  it.each<[string, Partial<NonceBinding>]>([
    ['purpose', { purpose: 'credential' }],
    ['client application', { clientId: 'client_2' }],
    ['text', { text: `${BINDING.text} ` }],
    ['boundary between client application and text', { clientId: 'client_1s', text: BINDING.text.slice(1) }],
  ])('sign-in nonces: are invalid for another %s', (_what, other) => {
    const nonce = createSignInNonce(BINDING, KEY);
    expect(isValidSignInNonce({ ...BINDING, ...other }, nonce, findKey)).toBe(false);
  });

  it('sign-in nonces: are invalid with another key or an unknown key', () => {
    const nonce = createSignInNonce(BINDING, KEY);
    expect(isValidSignInNonce(BINDING, nonce, () => randomBytes(32))).toBe(false);
    expect(isValidSignInNonce(BINDING, nonce, () => undefined)).toBe(false);
  });

  it('sign-in nonces: are invalid after any change', () => {
    const nonce = createSignInNonce(BINDING, KEY);
    fc.assert(
      fc.property(fc.nat(nonce.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(nonce[at] !== character);
        return !isValidSignInNonce(BINDING, nonce.slice(0, at) + character + nonce.slice(at + 1), findKey);
      }),
    );
  });

  it('sign-in nonces: reject arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isValidSignInNonce(BINDING, text, () => KEY.key)));
    const nonce = createSignInNonce(BINDING, KEY);
    for (const text of [`${nonce}\n`, ` ${nonce}`, `${nonce}0`, nonce.slice(0, -1), ''])
      expect(isValidSignInNonce(BINDING, text, findKey)).toBe(false);
  });
});
