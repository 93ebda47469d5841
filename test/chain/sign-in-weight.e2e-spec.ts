import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { fullText } from '../support/sign-in-vectors.js';

/** Prints the files that importing a built file, and running more, loads: ES modules as they are resolved, then CommonJS and native ones. */
const script = (file: string, more = ''): string => `
  import { createRequire, register } from 'node:module';
  const hook = 'export async function resolve(s, c, next) { const r = await next(s, c); process._rawDebug(r.url); return r; }';
  register('data:text/javascript,' + encodeURIComponent(hook));
  const built = await import(${JSON.stringify(file)});
  ${more}
  for (const each of Object.keys(createRequire(${JSON.stringify(file)}).cache)) console.error(each);
  for (const each of process.report.getReport().sharedObjects) console.error(each);
`;

function listLoadedFiles(entry: string, more?: string): string {
  const file = join(root, 'dist/libs/chain/src', entry, 'index.js');
  const arguments_ = ['--input-type=module', '--eval', script(file, more)];
  const { status, stderr } = spawnSync(process.execPath, arguments_, { encoding: 'utf8', cwd: root });
  if (status !== 0) throw new Error(stderr);
  return stderr;
}

it('sign-in: loads no chain library to verify a sign-in message, except the native one for signatures', () => {
  const loaded = listLoadedFiles('sign-in');
  expect(loaded).toContain('/libs/chain/src/sign-in/recover-signer.js');
  expect(loaded).not.toMatch(/node_modules\/(viem|ethers|siwe|@spruceid|ox|undici|cockatiel)\//);
  expect(loaded).not.toMatch(/\/libs\/chain\/src\/(evm|reads|batch|call|node|http)\//);
  const hasNativeBuild = ['linux x64', 'darwin arm64', 'win32 x64'].includes(
    `${process.platform} ${process.arch}`,
  );
  if (hasNativeBuild) expect(loaded).toMatch(/secp256k1[^\n]*\.node/);
});

it('sign-in: does not load viem to verify signatures of contract wallets', () => {
  const loaded = listLoadedFiles('evm');
  expect(loaded).toContain('/libs/chain/src/evm/signatures/contract-signature-verifier.js');
  expect(loaded).not.toMatch(/node_modules\/(viem|ethers|siwe|ox)\//);
});

it('parseSignInMessageWithSiwe: loads siwe and its parser, and a stand-in instead of ethers', () => {
  const parse = `const { ok } = await built.parseSignInMessageWithSiwe(${JSON.stringify(fullText)}); if (!ok) throw new Error('refused');`;
  const loaded = listLoadedFiles('sign-in', parse);
  expect(loaded).toMatch(/node_modules\/siwe\//);
  expect(loaded).toMatch(/node_modules\/@spruceid\/siwe-parser\//);
  expect(loaded).toContain('/libs/chain/ethers-stand-in/index.js');
  expect(loaded).not.toMatch(/node_modules\/(viem|ethers|ox)\//);
});

it('npm run build: bundles siwe and no ethers', () => {
  const licences = readFileSync(join(root, 'dist/bundles/LICENSES.txt'), 'utf8');
  expect(licences).toContain('\n== siwe 3.');
  expect(licences).not.toMatch(/\n== @?ethers/);
  for (const app of ['gateway', 'identity']) {
    const folder = join(root, 'dist/bundles', app);
    const [bundle = ''] = readdirSync(folder).filter((name) => /^main-.*\.cjs$/.test(name));
    const code = readFileSync(join(folder, bundle), 'utf8');
    expect(code).toContain('node_modules/siwe/dist/client.js');
    expect(code).toContain('libs/chain/ethers-stand-in/index.js');
    expect(code).not.toMatch(/node_modules\/(ethers|@ethersproject)\//);
  }
});
