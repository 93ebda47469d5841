import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KeysWorld } from './keys-world.js';
import { SignerFork } from './signer-fork.js';

const KEYS = { ACCOUNT_KEY_VAULT: 'local', ACCOUNT_KEY_SECRET: Buffer.alloc(32, 1).toString('base64url') };
/** A package as on a processor for which it has no prebuilt file. */
const BROKEN = `const Module = require('node:module');
const load = Module._load;
Module._load = function (request, ...rest) {
  if (/secp256k1.*bindings|^[.]\\/bindings$/.test(request)) throw new Error('no native build was found');
  if (/elliptic/.test(request)) throw new Error('elliptic is never loaded');
  return load.call(this, request, ...rest);
};`;

let world: KeysWorld;
let folder: string;
let withoutBinding: Record<string, string>;

beforeAll(async () => {
  world = await KeysWorld.start();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-signing-'));
  await writeFile(join(folder, 'broken.cjs'), BROKEN);
  withoutBinding = { ...KEYS, NODE_OPTIONS: `--require ${join(folder, 'broken.cjs')}` };
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

it('the signer process: refuses to start in production without the native library', async () => {
  const signer = new SignerFork({
    ...withoutBinding,
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  });
  await once(signer.process, 'exit');
  expect(signer.output).toContain('ACCOUNT_KEY_JS_SIGNING');
});

it('the signer process: signs in JavaScript, and never with elliptic, where the configuration allows it', async () => {
  const production = { NODE_ENV: 'production', ACCOUNT_KEY_JS_SIGNING: 'on' };
  const native = await world.startSigner(KEYS);
  const inProduction = await world.startSigner({ ...KEYS, NODE_ENV: 'production' });
  const javascript = await world.startSigner({ ...withoutBinding, ...production });
  const account = await world.createAccount(native, '6001');
  expect(await javascript.done({ type: 'deriveAddresses', platform: 'chat', userId: '6001' })).toEqual(
    account.addresses,
  );
  expect(await world.signerOf(inProduction, account)).toBe(account.addresses.actionAddress);
  expect(await world.signerOf(javascript, account)).toBe(account.addresses.actionAddress);
});

it('the signer process: opens no inspector when it gets SIGUSR1, and goes on', async () => {
  const signer = await world.startSigner(KEYS);
  signer.process.kill('SIGUSR1');
  await signer.done({ type: 'ping' });
  await signer.stop();
  expect(signer.output).not.toContain('Debugger listening');
});
