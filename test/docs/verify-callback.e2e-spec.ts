import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signCallback } from '../../apps/token-gating/src/callbacks/sign-callback.js';
import { root } from '../../scripts/local/project.mjs';

type Verify = (
  headers: Record<string, string>,
  body: string,
  keySet: { keys: object[] },
  nowSeconds?: number,
) => boolean;

/** The block of the README, as a reader would copy it. */
function snippet(): string {
  const blocks = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g);
  const found = [...blocks]
    .map(([, code = '']) => code)
    .find((code) => code.includes('function verifyCallback'));
  if (found === undefined) throw new Error('The README has no verifyCallback');
  return found;
}

describe('the README’s way to verify a callback', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-readme-'));
  const pairs = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const keySet = {
    keys: pairs.map(({ publicKey }, at) => ({
      ...publicKey.export({ format: 'jwk' }),
      use: 'sig',
      kid: String(at),
    })),
  };
  const timestamp = 1_795_160_000;
  const body = '{"requestId":"0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11","clientId":"client_42","roles":[]}';
  const signedBy = (...indexes: number[]) =>
    signCallback({
      deliveryId: 'msg_01JD0000000000000000000000',
      timestamp,
      body,
      keys: indexes.flatMap((at) => {
        const privateKey = pairs[at]?.privateKey;
        return privateKey ? [{ kid: String(at), privateKey }] : [];
      }),
    });
  let verify: Verify;

  beforeAll(async () => {
    const file = join(folder, 'verify-callback.mjs');
    writeFileSync(file, snippet());
    ({ verifyCallback: verify } = (await import(pathToFileURL(file).href)) as { verifyCallback: Verify });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('believes what one of the published keys signed, also while two take turns', async () => {
    expect(verify(await signedBy(0), body, keySet, timestamp)).toBe(true);
    expect(verify(await signedBy(0, 1), body, { keys: keySet.keys.slice(1) }, timestamp + 299)).toBe(true);
  });

  it('believes nothing else', async () => {
    const headers = await signedBy(0);
    expect(verify(headers, `${body} `, keySet, timestamp)).toBe(false);
    expect(verify({ ...headers, 'x-service-delivery-id': 'msg_other' }, body, keySet, timestamp)).toBe(false);
    expect(
      verify({ ...headers, 'x-service-timestamp': String(timestamp + 1) }, body, keySet, timestamp),
    ).toBe(false);
    expect(verify(headers, body, { keys: keySet.keys.slice(1) }, timestamp)).toBe(false);
    expect(verify(headers, body, keySet, timestamp + 301)).toBe(false);
    expect(verify(headers, body, keySet, timestamp - 301)).toBe(false);
  });
});
