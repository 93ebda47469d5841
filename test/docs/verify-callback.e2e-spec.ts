import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { signCallback } from '../../apps/token-gating/src/callbacks/sign-callback.js';
import { root } from '../../scripts/build/project.mjs';

type SignedHeaders = Record<string, string>;
interface KeySet {
  keys: object[];
}
/** Whether the example accepts a callback as genuine. */
type Verify = (headers: SignedHeaders, body: string, keySet: KeySet, nowSeconds: number) => Promise<boolean>;

const example = (name: string): string => join(root, 'docs/examples', name);

interface NodeExample {
  verifyCallback: (...args: Parameters<Verify>) => boolean;
}
interface WebExample {
  verifyWebhook: (headers: Headers, body: string, keySet: KeySet, nowSeconds: number) => Promise<boolean>;
}

const withNode: Verify = async (...args) => {
  const module = (await import(pathToFileURL(example('verify-callback.mjs')).href)) as NodeExample;
  return module.verifyCallback(...args);
};

const withWebCrypto: Verify = async (headers, ...args) => {
  const file = pathToFileURL(example('verify-callback-webcrypto.mjs')).href;
  return ((await import(file)) as WebExample).verifyWebhook(new Headers(headers), ...args);
};

it.each(['verify-callback.mjs', 'verify-callback-webcrypto.mjs'])(
  'guide of callbacks: the guide shows %s unchanged',
  (name) => {
    const shown = `\`\`\`js\n${readFileSync(example(name), 'utf8')}\`\`\``;
    expect(readFileSync(join(root, 'docs/guides/callbacks.md'), 'utf8')).toContain(shown);
  },
);

describe.each<[string, Verify, string]>([
  ['node:crypto', withNode, 'x-service'],
  ['Web Crypto', withWebCrypto, 'webhook'],
])('a callback verified with %s', (_, verify, family) => {
  const pairs = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const keys = pairs.map(({ publicKey }, at) => ({
    ...publicKey.export({ format: 'jwk' }),
    use: 'sig',
    kid: String(at),
  }));
  const timestamp = 1_795_160_000;
  const body = '{"requestId":"0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11","clientId":"client_42","roles":[]}';
  const signedBy = (...indexes: number[]): Promise<SignedHeaders> =>
    signCallback({
      deliveryId: 'msg_01JD0000000000000000000000',
      timestamp,
      body,
      keys: indexes.flatMap((at) => {
        const privateKey = pairs[at]?.privateKey;
        return privateKey ? [{ kid: String(at), privateKey }] : [];
      }),
    });

  it('verified callback: is accepted when one of the published keys signed it, also during a key rotation', async () => {
    expect(await verify(await signedBy(0), body, { keys }, timestamp)).toBe(true);
    expect(await verify(await signedBy(0, 1), body, { keys: keys.slice(1) }, timestamp + 299)).toBe(true);
  });

  it('verified callback: is rejected otherwise', async () => {
    const headers = await signedBy(0);
    const idHeader = family === 'webhook' ? 'webhook-id' : 'x-service-delivery-id';
    const changes: Parameters<Verify>[] = [
      [headers, `${body} `, { keys }, timestamp],
      [{ ...headers, [idHeader]: 'msg_other' }, body, { keys }, timestamp],
      [{ ...headers, [`${family}-timestamp`]: String(timestamp + 1) }, body, { keys }, timestamp],
      [headers, body, { keys: keys.slice(1) }, timestamp],
      [headers, body, { keys }, timestamp + 301],
      [headers, body, { keys }, timestamp - 301],
      [{}, body, { keys }, timestamp],
    ];
    for (const change of changes) expect(await verify(...change)).toBe(false);
  });
});
