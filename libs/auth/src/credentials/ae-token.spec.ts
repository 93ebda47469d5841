import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { type AeClaims, decryptAeToken, encryptAeToken } from './ae-token.js';

const KEY = { kid: 'ae-1', key: randomBytes(32) };
const keyOf = (kid: string) => (kid === KEY.kid ? KEY.key : undefined);
const CLAIMS: AeClaims = {
  iss: 'https://gatehouse.example',
  sub: 'user_1',
  aud: 'https://gatehouse.example',
  iat: 1_795_000_000,
  exp: 1_795_003_600,
  jti: 'jti-1',
  client_id: 'client_1',
  scope: '$public user:read',
  wallet: 'eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
};

const sealed = () => encryptAeToken(CLAIMS, KEY);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an AE token', () => {
  it('is opened with the key that sealed it, and is never the same text twice', () => {
    expect(decryptAeToken(sealed(), keyOf)).toEqual(CLAIMS);
    expect(sealed()).not.toBe(sealed());
  });

  it('is what jose calls a compact JWE', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(sealed(), KEY.key);
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual(CLAIMS);
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', typ: 'ae+jwt', kid: 'ae-1' });
  });

  const byJose = (header: object, claims: object = CLAIMS, key: Uint8Array = KEY.key) =>
    new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'ae+jwt', kid: 'ae-1', ...header })
      .encrypt(key);

  it('is opened when jose sealed it so', async () => {
    expect(decryptAeToken(await byJose({}), keyOf)).toEqual(CLAIMS);
  });

  it.each<[string, () => Promise<string>]>([
    ['another enc', () => byJose({ enc: 'A128GCM' }, CLAIMS, KEY.key.subarray(16))],
    ['an enc with a MAC', () => byJose({ enc: 'A128CBC-HS256' })],
    ['a wrapped key', () => byJose({ alg: 'A256KW' })],
    ['no typ', () => byJose({ typ: undefined })],
    ['another typ', () => byJose({ typ: 'JWT' })],
    ['no kid', () => byJose({ kid: undefined })],
    ['a kid that nobody has', () => byJose({ kid: 'ae-2' })],
    ['one more header', () => byJose({ cty: 'JWT' })],
    ['a claim that is missing', () => byJose({}, { ...CLAIMS, jti: undefined })],
    ['a claim of another type', () => byJose({}, { ...CLAIMS, exp: '1795003600' })],
    ['another key', () => byJose({}, CLAIMS, randomBytes(32))],
  ])('is not one with %s', async (_what, make) => {
    expect(decryptAeToken(await make(), keyOf)).toBeUndefined();
  });

  it('is not one in another spelling, cut, or put together from two', () => {
    const [a = '', b = '', c = '', d = '', e = ''] = sealed().split('.');
    const [, , iv = '', text = '', tag = ''] = sealed().split('.');
    const header = encode({ kid: 'ae-1', typ: 'ae+jwt', enc: 'A256GCM', alg: 'dir' });
    const wrong = [
      [a, b, c, d, `${e}==`],
      [a, b, c, d, e.slice(0, -2)],
      [a, b, c, d, ''],
      [a, b, c, d, `${e}AA`],
      [a, b, '', d, e],
      [a, b, iv, d, e],
      [a, b, c, text, e],
      [a, b, c, d, tag],
      [header, b, c, d, e],
      [a, 'AAAA', c, d, e],
      [a, c, d, e],
      [a, b, c, d, e, ''],
      [`${a} `, b, c, d, e],
      [a, b, c, `${d}\n`, e],
    ];
    for (const parts of wrong) expect(decryptAeToken(parts.join('.'), keyOf)).toBeUndefined();
  });

  it('cannot be changed in any place', () => {
    const token = sealed();
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(token[at] !== character);
        return decryptAeToken(token.slice(0, at) + character + token.slice(at + 1), keyOf) === undefined;
      }),
    );
  });

  it('is nothing that nobody sealed', () => {
    fc.assert(fc.property(fc.string(), (text) => decryptAeToken(text, () => KEY.key) === undefined));
    expect(decryptAeToken('x'.repeat(10_000), keyOf)).toBeUndefined();
  });
});
