import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { formatSignInMessage } from '@app/chain/sign-in';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Client } from '../support/create-client.js';
import { envelopeOf } from '../support/envelope.js';
import { type GatewayWithTokens, leaseGatewayWithTokens } from './gateway-with-tokens.js';
import type { CredentialOptions, TokenFactory } from './token-factory.js';

const HOUR = 3_600;
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const at = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const PASSKEY_HEADER = { crit: ['amr'], amr: ['pop', 'user'] };

describe('invalid tokens', () => {
  let running: GatewayWithTokens;
  let mint: TokenFactory;
  let client: Client;
  let refusal: unknown;

  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    ({ mint } = running);
    client = await running.suite.createClient();
    running.identityProxy.contracts = 'invalid';
    refusal = await answerTo({});
  });

  /** The error response without the parts that differ between requests. */
  const answerTo = async (headers: Record<string, string>): Promise<unknown> => {
    const response = await running.ask('/account/me', headers);
    const { details, ...error } = await envelopeOf(response);
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, challenge, error, code: details.code };
  };

  const expectRejected = async (authorization: string): Promise<void> => {
    const before = running.identityProxy.forwarded.length;
    expect(await answerTo({ Authorization: authorization })).toEqual(refusal);
    expect(await answerTo({ Authorization: authorization, 'X-API-Key': client.apiKey })).toEqual(refusal);
    expect(running.identityProxy.forwarded).toHaveLength(before);
  };

  it('invalid tokens: get the same error as a request without credentials', () => {
    expect(refusal).toMatchObject({ status: 401, code: 'credential_invalid' });
    expect(JSON.stringify(refusal)).toMatch(/Bearer .*AE .*Ethereum /);
  });

  const claims = (more: object = {}) => mint.accessClaims(client.clientId, { ...more });
  const good = () => mint.bearer(claims());
  const foreign = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  it.each<[string, () => string]>([
    ['no value', () => 'Bearer'],
    ['an empty value', () => 'Bearer '],
    ['two spaces', () => `Bearer  ${good()}`],
    ['a tab', () => `Bearer\t${good()}`],
    ['two values', () => `Bearer ${good()} ${good()}`],
    ['a list', () => `Bearer ${good()}, AE x`],
    ['no scheme', good],
    ['another scheme', () => `Token ${good()}`],
    ['a scheme of an object', () => `constructor ${good()}`],
    ['Basic', () => 'Basic dXNlcjpwYXNz'],
    ['an API key', () => `Bearer ${client.apiKey}`],
    ['garbage of its form', () => 'Bearer aaaa.bbbb.cccc'],
    ['four parts', () => `Bearer ${good()}.AAAA`],
    ['8 KiB of it', () => `Bearer ${mint.bearer({ ...claims(), padding: 'x'.repeat(7_000) })}`],
  ])('are rejected in Authorization: %s', async (_what, authorization) => {
    await expectRejected(authorization());
  });

  it.each<[string, () => string]>([
    [
      'alg none',
      () => `${base64url({ alg: 'none', typ: 'at+jwt', kid: mint.accessKid })}.${base64url(claims())}.`,
    ],
    ['alg none with a signature', () => mint.bearer(claims(), { alg: 'none' })],
    ['HS256 with the public key', hs256],
    ['another algorithm in the header', () => mint.bearer(claims(), { alg: 'ES384' })],
    ['another kid', () => mint.bearer(claims(), { kid: 'unknown' })],
    ['no kid', () => mint.bearer(claims(), { kid: undefined })],
    ['the kid of an AE key', () => mint.bearer(claims(), { kid: mint.ae.kid })],
    ['another key under our kid', () => mint.bearer(claims(), {}, foreign())],
    ['a key of its own: jwk', () => withOwnKey('jwk')],
    ['a key of its own: jku', () => mint.bearer(claims(), { jku: 'https://evil.example/jwks.json' })],
    ['a key of its own: x5u', () => mint.bearer(claims(), { x5u: 'https://evil.example/cert.pem' })],
    ['crit', () => mint.bearer(claims(), { crit: ['b64'], b64: false })],
    [
      'crit of login methods and more',
      () => mint.bearer(claims(), { ...PASSKEY_HEADER, crit: ['amr', 'b64'] }),
    ],
    ['login methods without crit', () => mint.bearer(claims(), { amr: ['pop', 'user'] })],
    ['crit without login methods', () => mint.bearer(claims(), { crit: ['amr'] })],
    ['typ JWT', () => mint.bearer(claims(), { typ: 'JWT' })],
    ['no typ', () => mint.bearer(claims(), { typ: undefined })],
    ['the typ of a principal token', () => mint.bearer(claims(), { typ: 'principal+jwt' })],
    ['another issuer', () => mint.bearer(claims({ iss: 'https://evil.example' }))],
    ['the issuer with a slash', () => mint.bearer(claims({ iss: `${mint.publicUrl}/` }))],
    ['no issuer', () => mint.bearer(claims({ iss: undefined }))],
    ['another audience', () => mint.bearer(claims({ aud: client.clientId }))],
    [
      'an audience among others',
      () => mint.bearer(claims({ aud: [mint.publicUrl, 'https://evil.example'] })),
    ],
    ['no audience', () => mint.bearer(claims({ aud: undefined }))],
    ['it has expired', () => mint.bearer(claims({ exp: inSeconds(-1) }))],
    ['it never expires', () => mint.bearer(claims({ exp: undefined }))],
    ['an expiry that is no number', () => mint.bearer(claims({ exp: '9999999999' }))],
    ['it is not valid yet', () => mint.bearer(claims({ nbf: inSeconds(HOUR) }))],
    ['issued in the future', () => mint.bearer(claims({ iat: inSeconds(HOUR), exp: inSeconds(2 * HOUR) }))],
    ['no iat', () => mint.bearer(claims({ iat: undefined }))],
    ['no jti', () => mint.bearer(claims({ jti: undefined }))],
    ['no sub', () => mint.bearer(claims({ sub: undefined }))],
    ['no client_id', () => mint.bearer(claims({ client_id: undefined }))],
    ['a client application that is not there', () => mint.bearer({ ...claims(), client_id: 'client_none' })],
    ['one client application as another', () => mint.bearer(claims({ sub: 'client:client_other' }))],
    ['no scope', () => mint.bearer(claims({ scope: undefined }))],
    ['padding', () => `${good()}=`],
    ['stray bits at its end', () => withStrayBits(good())],
    ['claims that were changed', () => withOtherClaims(good())],
    ['a signature that was cut', () => good().slice(0, -4)],
    ['a signature in DER', () => mint.bearer(claims()).replace(/[^.]+$/, 'MEUCIQDx')],
    ['an AE token', () => mint.aeToken(mint.aeClaims(client.clientId))],
  ])('T37: are rejected as Bearer: %s', async (_what, token) => {
    await expectRejected(`Bearer ${token()}`);
  });

  function hs256(): string {
    const secret = mint.publicKey.export({ type: 'spki', format: 'pem' });
    const signed = `${base64url({ alg: 'HS256', typ: 'at+jwt', kid: mint.accessKid })}.${base64url(claims())}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  }

  function withOwnKey(name: string): string {
    const key = foreign();
    const { kty, crv, x, y } = key.export({ format: 'jwk' });
    return mint.bearer(
      claims(),
      { [name]: { kty, crv, x, y } },
      createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })),
    );
  }

  /** Non-canonical base64url of the same bytes: the last character of 64 bytes has two unused bits. */
  function withStrayBits(token: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    return token.slice(0, -1) + (alphabet[last | 1] ?? '');
  }

  function withOtherClaims(token: string): string {
    const [header = '', , signature = ''] = token.split('.');
    return [header, base64url(claims({ scope: 'token-gating operator' })), signature].join('.');
  }

  const aeClaims = (more = {}) => mint.aeClaims(client.clientId, more);
  const ae = () => mint.aeToken(aeClaims());
  const aePart = (change: (parts: string[]) => string[]) => change(ae().split('.')).join('.');

  it.each<[string, () => string]>([
    ['another enc', () => aePart(([, ...rest]) => [aeHeader({ enc: 'A128GCM' }), ...rest])],
    ['an alg with a wrapped key', () => aePart(([, ...rest]) => [aeHeader({ alg: 'A256KW' }), ...rest])],
    ['zip in the header', () => aePart(([, ...rest]) => [aeHeader({ zip: 'DEF' }), ...rest])],
    ['a wrapped key', () => aePart(([header = '', , ...rest]) => [header, 'AAAA', ...rest])],
    ['a truncated tag', () => ae().slice(0, -6)],
    [
      'another tag',
      () => aePart(([a = '', b = '', c = '', d = '']) => [a, b, c, d, randomBytes(16).toString('base64url')]),
    ],
    ['padding', () => `${ae()}==`],
    ['another key under our kid', () => mint.aeToken(aeClaims(), { kid: mint.ae.kid, key: randomBytes(32) })],
    ['a key of another environment', () => mint.aeToken(aeClaims(), { kid: 'other', key: randomBytes(32) })],
    ['the nonce key', () => mint.aeToken(aeClaims(), mint.nonce)],
    ['another issuer', () => mint.aeToken(aeClaims({ iss: 'https://evil.example' }))],
    ['another audience', () => mint.aeToken(aeClaims({ aud: 'https://evil.example' }))],
    ['it has expired', () => mint.aeToken(aeClaims({ exp: inSeconds(-1) }))],
    ['a client application that is not there', () => mint.aeToken(mint.aeClaims('client_none'))],
    ['an access token', good],
  ])('are rejected as AE: %s', async (_what, token) => {
    await expectRejected(`AE ${token()}`);
  });

  const aeHeader = (more: object) =>
    base64url({ alg: 'dir', enc: 'A256GCM', typ: 'ae+jwt', kid: mint.ae.kid, ...more });

  const other = privateKeyToAccount(generatePrivateKey());
  const credential = (options: Partial<CredentialOptions> = {}) =>
    mint.credential({ clientId: client.clientId, ...options });
  const withResources = (change: (all: string[]) => string[]) => {
    const { resources = [] } = mint.credentialMessage({ clientId: client.clientId });
    return credential({ message: { resources: change([...resources]) } });
  };
  const expiring = (issued: number, expires: number) =>
    credential({ message: { issuedAt: at(issued), expirationTime: at(expires) } });

  it.each<[string, () => Promise<string>]>([
    [
      'a login message and its signature',
      () => credential({ purpose: 'login', message: { resources: ['urn:scope:$public'] } }),
    ],
    ['a login message that says it were one', () => credential({ purpose: 'login' })],
    ['a nonce of a login', () => credential({ issued: { purpose: 'login' } })],
    ['a nonce for another client application', () => credential({ issued: { clientId: 'client_other' } })],
    ['a nonce for another address', () => credential({ issued: { message: { address: other.address } } })],
    ['a nonce for another expiry', () => credential({ issued: { message: { expirationTime: at(60) } } })],
    [
      'a nonce for another sentence',
      () =>
        credential({
          message: { statement: 'Claim your airdrop.' },
          issued: { message: { statement: 'Sign in.' } },
        }),
    ],
    ['a made-up nonce', () => credential({ message: { nonce: 'a'.repeat(47) } })],
    ['a short nonce', () => credential({ message: { nonce: 'abcdefgh' } })],
    ['another domain', () => credential({ message: { domain: 'evil.example' } })],
    ['another port of the domain', () => credential({ message: { domain: '127.0.0.1:1' } })],
    ['another scheme of the domain', () => credential({ message: { scheme: 'https' } })],
    ['another uri', () => credential({ message: { uri: 'https://evil.example' } })],
    ['a uri that only begins like ours', () => credential({ message: { uri: `${mint.publicUrl}0/` } })],
    ['it has expired', () => expiring(-2 * HOUR, -1)],
    ['it never expires', () => credential({ message: { expirationTime: undefined } })],
    ['more than a day', () => expiring(0, 24 * HOUR + 1)],
    ['issued in the future', () => expiring(HOUR, 2 * HOUR)],
    ['not before later', () => credential({ message: { notBefore: at(HOUR) } })],
    ['no mark', () => withResources(([, ...rest]) => rest)],
    [
      'the mark of another service',
      () => withResources(([, ...rest]) => ['https://evil.example/#credential', ...rest]),
    ],
    ['no client application', () => withResources(([mark = '', , ...rest]) => [mark, ...rest])],
    [
      'two client applications',
      () => withResources(([mark = '', one = '', ...rest]) => [mark, one, 'urn:client:client_2', ...rest]),
    ],
    [
      'another client application',
      () => withResources(([mark = '', , ...rest]) => [mark, 'urn:client:client_2', ...rest]),
    ],
    ['no scope', () => withResources((all) => all.slice(0, 2))],
    ['a resource of another kind', () => withResources((all) => [...all, 'https://app.example/'])],
    ['another order', () => withResources((all) => [...all].reverse())],
    ['a right to write', () => credential({ scopes: ['$public', 'user:wallet:write'] })],
    ['a right of client applications', () => credential({ scopes: ['$public', 'token-gating'] })],
    ['a right over communities', () => credential({ scopes: ['community:read'] })],
    ['a right that is not there', () => credential({ scopes: ['user:nonsense:read'] })],
    ['another signer', () => credential({ wallet: other, message: { address: mint.wallet.address } })],
    ['the high-s twin of its signature', async () => twin(await credential())],
    ['64 bytes of signature', async () => (await credential()).slice(0, -2)],
    ['66 bytes of signature', async () => `${await credential()}00`],
    ['no 0x', async () => (await credential()).replace('.0x', '.')],
    ['padding', async () => (await credential()).replace('.', '=.')],
    [
      'another message',
      async () =>
        mint.credentialOf(
          `${message()}\n- urn:scope:user:wallet:read`,
          signatureOf(await mint.signed(message())),
        ),
    ],
    ['a line break at its end', () => mint.signed(`${message()}\n`)],
    [
      'an address in lower case',
      () => mint.signed(message().replace(mint.wallet.address, mint.wallet.address.toLowerCase())),
    ],
    ['more than 8 KiB', async () => `${await credential()}${'00'.repeat(4_096)}`],
    ['an access token', () => Promise.resolve(good())],
  ])('are rejected as Ethereum: %s', async (_what, make) => {
    await expectRejected(`Ethereum ${await make()}`);
  });

  const message = () => formatSignInMessage(mint.credentialMessage({ clientId: client.clientId }));
  const signatureOf = (text: string) => text.split('.')[1] ?? '';

  function twin(text: string): string {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const [encoded = '', signature = ''] = text.split('.');
    const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
    const flipped = (order - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
    return `${encoded}.0x${r}${flipped}${v === '1b' ? '1c' : '1b'}`;
  }
});
