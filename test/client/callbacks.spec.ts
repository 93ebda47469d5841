import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  createClient,
  createKeySource,
  type KeySet,
  receiveCallback,
  verifyCallback,
} from '../../clients/typescript/src/index.js';
import { read } from '../support/project-files.js';

/** The test vector of docs/contract.md, section 6. */
const CONTRACT = read('docs/contract.md');
const inContract = (pattern: RegExp): string => {
  const found = pattern.exec(CONTRACT)?.[1];
  if (found === undefined) throw new Error(`docs/contract.md has no ${String(pattern)}`);
  return found;
};
const VECTOR = /Test vector: /.source;
const id = inContract(new RegExp(`${VECTOR}id \`([^\`]+)\``));
const timestamp = inContract(new RegExp(`${VECTOR}.*timestamp \`([^\`]+)\``));
const body = inContract(new RegExp(`${VECTOR}.*body \`([^\`]+)\``));
const secret = inContract(new RegExp(`${VECTOR}.*secret \`([^\`]+)\``));
const v1 = inContract(/`(v1,[^`]+)`/);
const v1a = inContract(/`(v1a,[^`\s]{80,})`/);
const now = { nowSeconds: Number(timestamp) };

/** The Ed25519 key of a seed, in PKCS #8. */
const privateKey = createPrivateKey({
  key: Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(Array.from({ length: 32 }, (_, at) => at + 1)),
  ]),
  format: 'der',
  type: 'pkcs8',
});
const published = { ...createPublicKey(privateKey).export({ format: 'jwk' }), use: 'sig', kid: '1' };
const keySet: KeySet = { keys: [published] };

const headersWith = (signature: string, more: Record<string, string> = {}): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signature,
  ...more,
});

describe('verifyCallback', () => {
  it('verifyCallback: accepts the test vector of the contract, in both versions, as text and bytes, from both kinds of headers', async () => {
    for (const [signature, keys] of [
      [v1a, keySet],
      [v1, secret],
      [`v1a,AAAA ${v1} ${v1a}`, keySet],
      [`${v1a} v1,AAAA ${v1}`, secret],
    ] as const)
      for (const headers of [headersWith(signature), new Headers(headersWith(signature))])
        for (const content of [body, new TextEncoder().encode(body)])
          expect(await verifyCallback(headers, content, keys, now)).toBe(true);
  });

  it('T402: verifyCallback: refuses every other body, id, timestamp, key and signature', async () => {
    const other = { ...published, x: 'A'.repeat(43) };
    const wrong: [Record<string, string>, string, KeySet | string, number?][] = [
      [headersWith(v1a), `${body} `, keySet],
      [headersWith(v1a, { 'webhook-id': `${id}x` }), body, keySet],
      [headersWith(v1a, { 'webhook-timestamp': String(Number(timestamp) + 1) }), body, keySet],
      [headersWith(v1a, { 'webhook-timestamp': `${timestamp}.0` }), body, keySet],
      [headersWith(v1a), body, { keys: [] }],
      [headersWith(v1a), body, { keys: [other] }],
      [headersWith(v1a), body, { keys: [{ ...published, use: 'enc' }] }],
      [headersWith(v1a), body, keySet, 301],
      [headersWith(v1a), body, keySet, -301],
      [headersWith(v1), body, keySet],
      [headersWith(v1a), body, secret],
      [headersWith(v1), body, `whsec_${randomBytes(32).toString('base64')}`],
      [headersWith(v1), `${body} `, secret],
      [headersWith(v1), body, secret, 301],
      [headersWith(''), body, secret],
      [headersWith('v1,'), body, secret],
      [headersWith('v1,!'), body, secret],
      [{}, body, secret],
      [{}, body, keySet],
    ];
    for (const [headers, content, keys, late = 0] of wrong)
      expect(await verifyCallback(headers, content, keys, { nowSeconds: now.nowSeconds + late })).toBe(false);
  });

  it('T402: verifyCallback: answers every header and body without an exception, and true to no forgery', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), fc.string(), async (...texts) => {
        const [signature, at, name, content] = texts;
        const headers = { 'webhook-id': name, 'webhook-timestamp': at, 'webhook-signature': signature };
        for (const forged of [headers, headersWith(`v1,${signature}`), headersWith(`v1a,${signature}`)])
          for (const keys of [keySet, secret])
            expect(await verifyCallback(forged, content, keys, now)).toBe(false);
      }),
    );
  });

  it('verifyCallback: agrees with the library of Standard Webhooks, with any secret and body', async () => {
    const at = new Date();
    const nowSeconds = Math.floor(at.getTime() / 1_000);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.string(), async (key, content) => {
        const own = `whsec_${Buffer.from(key).toString('base64')}`;
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(nowSeconds),
          'webhook-signature': new Webhook(own).sign(id, at, content),
        };
        expect(await verifyCallback(headers, content, own)).toBe(true);
        const signature = createHmac('sha256', key)
          .update(`${id}.${String(nowSeconds)}.${content}!`)
          .digest('base64');
        const changed = { ...headers, 'webhook-signature': `v1,${signature}` };
        expect(await verifyCallback(changed, content, own)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('verifyCallback: throws for a secret that is none, which is a mistake of the receiver', async () => {
    for (const none of ['', 'whsec_', 'whsec_!', v1])
      await expect(verifyCallback(headersWith(v1), body, none, now)).rejects.toThrow(TypeError);
  });
});

describe('createKeySource', () => {
  const answering = (keys: () => KeySet) => {
    let asked = 0;
    const fetch = (): Promise<Response> => {
      asked += 1;
      const answer = new Response(JSON.stringify(keys()), {
        headers: { 'content-type': 'application/json' },
      });
      return Promise.resolve(answer);
    };
    const client = createClient({ baseUrl: 'https://api.example', fetch });
    return { client, asked: () => asked };
  };

  it('createKeySource: loads keys once for many callbacks, and new ones when keys have changed', async () => {
    let keys: KeySet = { keys: [] };
    let time = now.nowSeconds * 1_000;
    const deployment = answering(() => keys);
    const source = createKeySource(deployment.client, () => time);
    const verify = () => source.verify(headersWith(v1a), body);
    expect(await verify()).toBe(false);
    keys = keySet;
    // Forgeries do not make it ask again at once.
    expect(await Promise.all([verify(), verify(), verify()])).toEqual([false, false, false]);
    expect(deployment.asked()).toBe(1);
    time += 31_000;
    expect(await Promise.all([verify(), verify()])).toEqual([true, true]);
    expect(await verify()).toBe(true);
    expect(deployment.asked()).toBe(2);
  });

  it('T402: createKeySource: asks for no keys where no key could verify the headers', async () => {
    const deployment = answering(() => keySet);
    const source = createKeySource(deployment.client, () => now.nowSeconds * 1_000);
    for (const headers of [{}, headersWith('v1a,!'), headersWith(v1a, { 'webhook-timestamp': '1' })])
      expect(await source.verify(headers, body)).toBe(false);
    expect(deployment.asked()).toBe(0);
  });

  it('createKeySource: verifies by keys that it has while the deployment is away, for an hour', async () => {
    let time = 0;
    let isAway = false;
    const deployment = answering(() => (isAway ? ({ isSignInPage: true } as never) : keySet));
    const source = createKeySource(deployment.client, () => time);
    const verify = () => {
      const at = Math.floor(time / 1_000);
      const head = `${id}.${String(at)}.`;
      const signature = sign(null, Buffer.from(head + body), privateKey).toString('base64');
      return source.verify(headersWith(`v1a,${signature}`, { 'webhook-timestamp': String(at) }), body);
    };
    expect(await verify()).toBe(true);
    isAway = true;
    time = 30 * 60_000;
    expect([await verify(), await verify()]).toEqual([true, true]);
    await turn();
    expect(deployment.asked()).toBe(2);
    time = 61 * 60_000;
    await expect(verify()).rejects.toThrow('no keys');
    await expect(verify()).rejects.toThrow('no keys');
    expect(deployment.asked()).toBe(3);
    isAway = false;
    time += 31_000;
    expect(await verify()).toBe(true);
  });
});

describe('receiveCallback', () => {
  const genuine = { verify: () => Promise.resolve(true) };
  const receive = (content: object, keys = genuine) =>
    receiveCallback(keys, 'client_42', {}, JSON.stringify(content));
  const check = { requestId: 'r', clientId: 'client_42', roles: [] };
  const event = { type: 'endpoint.test', timestamp: '2026-11-28T00:00:00Z', data: { clientId: 'client_42' } };

  it('receiveCallback: gives callbacks and events of the application, and answers challenges', async () => {
    for (const callback of [check, event])
      expect(await receive(callback)).toEqual({ status: 200, body: {}, callback });
    const challenge = { ...check, challenge: 'abc' };
    expect(await receive(challenge)).toEqual({ status: 200, body: { challenge: 'abc' } });
  });

  it('T421: receiveCallback: gives nothing that is not genuine or is of another application, challenges included', async () => {
    const forged = { verify: () => Promise.resolve(false) };
    for (const content of [check, event, { ...check, challenge: 'abc' }])
      expect(await receive(content, forged)).toEqual({ status: 401, body: {} });
    for (const content of [
      { ...check, clientId: 'client_43' },
      { ...check, clientId: 'client_43', challenge: 'abc' },
      { ...event, data: { clientId: 'client_43' } },
      { ...check, clientId: undefined },
      { ...event, clientId: 'client_42', data: {} },
    ])
      expect(await receive(content)).toEqual({ status: 403, body: {} });
    const unloaded = { verify: () => Promise.reject(new Error('no keys')) };
    await expect(receive(check, unloaded)).rejects.toThrow('no keys');
  });
});
