import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadOpenApiDocument } from '@app/openapi';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signWithSecrets } from './endpoints/endpoint-secrets.js';
import { signCallback, toSignedContent, type SigningKey } from './sign-callback.js';

/** contract.md section 6. */
const deliveryId = 'msg_01JD0000000000000000000000';
const timestamp = 1_795_160_000;
const body =
  '{"requestId":"0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11","clientId":"client_42","roles":[{"id":"001","granted":true}]}';
const v1a = 'v1a,yf9jqvGA1KzAVqeVVZpnjLkWCja4DRk3BrB+6GItHN5mIJiJRNwoUf5cvBzV//VY3S+I+K+tbybBEIl9S08nBw==';
const v1 = 'v1,DosXdXX1Nklm5YPNpy7F3KPV9+Mp12Mvyank2xg1his=';
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** DER prefix of an Ed25519 private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const seed = Buffer.from(Array.from({ length: 32 }, (_, index) => index + 1));
const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, seed]),
  format: 'der',
  type: 'pkcs8',
});
const key: SigningKey = { kid: 'first', privateKey };
const another: SigningKey = { kid: 'second', privateKey: generateKeyPairSync('ed25519').privateKey };

/** Verifies like a receiver, with Node alone and over the raw body. */
function isValid(headers: Record<string, string>, rawBody: Buffer, { privateKey }: SigningKey): boolean {
  const content = Buffer.concat([
    Buffer.from(`${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.`),
    rawBody,
  ]);
  return (headers['webhook-signature'] ?? '').split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    return (
      version === 'v1a' &&
      verify(null, content, createPublicKey(privateKey), Buffer.from(signature, 'base64'))
    );
  });
}

describe('signCallback', () => {
  it('signCallback: sends the headers that the OpenAPI document describes', async () => {
    const { callbacks = {} } = loadOpenApiDocument().paths['/access-control/check-roles']?.['post'] ?? {};
    const { post } = Object.values(callbacks['checkResult'] ?? {})[0] as {
      post: { parameters: { name: string }[] };
    };
    const sent = Object.keys(await signCallback({ deliveryId, timestamp, body, keys: [key] }));
    expect(post.parameters.map(({ name }) => name).sort()).toEqual(sent.sort());
  });

  it('signCallback: matches the test vector, under both families of header names', async () => {
    expect(await signCallback({ deliveryId, timestamp, body, keys: [key] })).toEqual({
      'x-service-delivery-id': deliveryId,
      'x-service-timestamp': '1795160000',
      'x-service-signature': v1a,
      'x-service-key-id': 'first',
      'webhook-id': deliveryId,
      'webhook-timestamp': '1795160000',
      'webhook-signature': v1a,
    });
  });

  it('signCallback: signs the content that the standardwebhooks library signs', () => {
    expect(new Webhook(secret).sign(deliveryId, new Date(timestamp * 1_000), body)).toBe(v1);
    const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    const content = toSignedContent({ deliveryId, timestamp, body });
    expect(`v1,${hmac.update(content).digest('base64')}`).toBe(v1);
  });

  it('signCallback: verifies with each signing key and with no other key', async () => {
    const headers = await signCallback({ deliveryId, timestamp, body, keys: [key, another] });
    expect(headers['x-service-key-id']).toBe('first second');
    expect(headers['webhook-signature']?.split(' ')[0]).toBe(v1a);
    for (const one of [key, another]) expect(isValid(headers, Buffer.from(body), one)).toBe(true);
    const otherKey = { kid: 'first', privateKey: generateKeyPairSync('ed25519').privateKey };
    expect(isValid(headers, Buffer.from(body), otherKey)).toBe(false);
  });

  it('signCallback: verifies for any text and fails when any byte is changed', async () => {
    const flip = (bytes: Buffer, at: number, mask: number): Buffer => {
      const changed = Buffer.from(bytes);
      changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ mask;
      return changed;
    };
    const text = fc.string({ unit: 'binary', minLength: 1 }).filter((some) => some.isWellFormed());
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.integer({ min: 1, max: 255 }), async (any, at, mask) => {
        const headers = await signCallback({ deliveryId, timestamp, body: any, keys: [key] });
        const raw = Buffer.from(any);
        expect(isValid(headers, raw, key)).toBe(true);
        expect(isValid(headers, flip(raw, at, mask), key)).toBe(false);
        for (const name of ['webhook-id', 'webhook-timestamp'] as const) {
          const changed = flip(Buffer.from(headers[name] ?? '', 'latin1'), at, mask).toString('latin1');
          expect(isValid({ ...headers, [name]: changed }, raw, key)).toBe(false);
        }
      }),
    );
  });

  it('signCallback: lists v1 of each secret beside v1a, which the stock library of Standard Webhooks verifies', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const secrets = [Buffer.from(Array.from({ length: 32 }, (_, at) => at)), Buffer.alloc(24, 7)];
    const signed = { deliveryId, timestamp, body };
    expect(signWithSecrets(signed, secrets)[0]).toBe(v1);
    const current = { deliveryId, timestamp: now, body };
    const secretSignatures = signWithSecrets(current, secrets);
    const headers = await signCallback({ ...current, keys: [key], secretSignatures });
    expect(headers['webhook-signature']).toMatch(/^v1a,[^ ]+ v1,[^ ]+ v1,[^ ]+$/);
    expect(isValid(headers, Buffer.from(body), key)).toBe(true);
    for (const each of secrets)
      expect(new Webhook(`whsec_${each.toString('base64')}`).verify(body, headers)).toEqual(JSON.parse(body));
    const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
    expect(() => other.verify(body, headers)).toThrow('No matching signature');
  });

  it('signCallback: rejects when there is no key', async () => {
    await expect(signCallback({ deliveryId, timestamp, body, keys: [] })).rejects.toThrow(/no key/);
  });
});
