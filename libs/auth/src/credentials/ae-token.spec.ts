import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { type AeClaims, decryptAeToken, encryptAeToken } from './ae-token.js';

const KEY = { kid: 'ae-1', key: randomBytes(32) };
const findKey = (kid: string) => (kid === KEY.kid ? KEY.key : undefined);
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

const createToken = () => encryptAeToken(CLAIMS, KEY);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('AE tokens', () => {
  it('AE tokens: decrypt with their key, and differ each time', () => {
    expect(decryptAeToken(createToken(), findKey)).toEqual(CLAIMS);
    expect(createToken()).not.toBe(createToken());
  });

  it('AE tokens: are compact JWEs that jose decrypts', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(createToken(), KEY.key);
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual(CLAIMS);
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', typ: 'ae+jwt', kid: 'ae-1' });
  });

  const byJose = (header: object, claims: object = CLAIMS, key: Uint8Array = KEY.key) =>
    new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'ae+jwt', kid: 'ae-1', ...header })
      .encrypt(key);

  it('AE tokens: decrypt when jose encrypted them', async () => {
    expect(decryptAeToken(await byJose({}), findKey)).toEqual(CLAIMS);
  });

  it.each<[string, () => Promise<string>]>([
    ['another enc', () => byJose({ enc: 'A128GCM' }, CLAIMS, KEY.key.subarray(16))],
    ['an enc with a MAC', () => byJose({ enc: 'A128CBC-HS256' })],
    ['a wrapped key', () => byJose({ alg: 'A256KW' })],
    ['no typ', () => byJose({ typ: undefined })],
    ['another typ', () => byJose({ typ: 'JWT' })],
    ['no kid', () => byJose({ kid: undefined })],
    ['an unknown kid', () => byJose({ kid: 'ae-2' })],
    ['one more header', () => byJose({ cty: 'JWT' })],
    ['a claim that is missing', () => byJose({}, { ...CLAIMS, jti: undefined })],
    ['a claim of another type', () => byJose({}, { ...CLAIMS, exp: '1795003600' })],
    ['another key', () => byJose({}, CLAIMS, randomBytes(32))],
  ])('AE tokens: are rejected with %s', async (_what, make) => {
    expect(decryptAeToken(await make(), findKey)).toBeUndefined();
  });

  it('AE tokens: are rejected in another encoding, truncated, or combined from two tokens', () => {
    const [a = '', b = '', c = '', d = '', e = ''] = createToken().split('.');
    const [, , iv = '', text = '', tag = ''] = createToken().split('.');
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
    for (const parts of wrong) expect(decryptAeToken(parts.join('.'), findKey)).toBeUndefined();
  });

  it('AE tokens: are rejected after any change', () => {
    const token = createToken();
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(token[at] !== character);
        return decryptAeToken(token.slice(0, at) + character + token.slice(at + 1), findKey) === undefined;
      }),
    );
  });

  it('AE tokens: reject arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => decryptAeToken(text, () => KEY.key) === undefined));
    expect(decryptAeToken('x'.repeat(10_000), findKey)).toBeUndefined();
  });
});
