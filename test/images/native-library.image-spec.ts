import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';

jest.setTimeout(300_000);

const run = promisify(execFile);
const WORKER = 'account-kit/assets/apps/account-kit/src/custody/signer/signer.worker.js';
/** Asks a signer in production for the addresses of its executors, which it derives from their keys. */
const ASK = `
const child = require('node:child_process').fork(process.argv[1], {
  execArgv: [],
  env: {
    NODE_ENV: 'production',
    ACCOUNT_KEY_VAULT: 'local',
    ACCOUNT_KEY_SECRET: Buffer.alloc(32, 1).toString('base64url'),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    EXECUTOR_KEYS: '0x' + '01'.repeat(32),
  },
});
child.on('message', (message) => { console.log(JSON.stringify(message)); child.disconnect(); });
child.on('exit', (code) => { process.exitCode = code; });
child.send([{ callId: 1, request: { type: 'listExecutors' } }]);`;

const needed = ['g++', 'make', 'python3'].filter(
  (name) => !(process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name))),
);
const hasHeaders = existsSync(join(dirname(process.execPath), '../include/node/node_api.h'));
const itCompiles = needed.length === 0 && hasHeaders ? it : it.skip;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-native-'));
  const app = join(folder, 'app');
  for (const name of ['secp256k1', 'node-addon-api', 'node-gyp-build'])
    cpSync(join(root, 'node_modules', name), join(app, 'node_modules', name), {
      recursive: true,
      dereference: true,
    });
  cpSync(join(root, 'dist/bundles/account-kit'), join(app, 'account-kit'), { recursive: true });
  cpSync(join(root, 'docker/build-native.mjs'), join(app, 'docker/build-native.mjs'));
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  // The package is as on a processor for which it has no prebuilt file.
  rmSync(join(app, 'node_modules/secp256k1/prebuilds'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/apt-get'), '#!/bin/sh\n', { mode: 0o755 });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const askSigner = () => run(process.execPath, ['-e', ASK, join(folder, 'app', WORKER)]);

itCompiles(
  'docker/build-native.mjs: compiles the library from its source, and a signer starts in production with it alone [needs g++, make, python3 and the headers of Node]',
  async () => {
    await expect(askSigner()).rejects.toMatchObject({
      stderr: expect.stringContaining('ACCOUNT_KEY_JS_SIGNING'),
    });
    await run(process.execPath, ['docker/build-native.mjs'], {
      cwd: join(folder, 'app'),
      env: { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) },
      maxBuffer: 16 * 1024 * 1024,
    });
    const built = readdirSync(join(folder, 'app/node_modules/secp256k1/build'), {
      recursive: true,
      encoding: 'utf8',
    });
    expect(built.toSorted()).toEqual(['Release', 'Release/addon.node']);
    expect((await askSigner()).stdout).toContain('0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1');
  },
);
