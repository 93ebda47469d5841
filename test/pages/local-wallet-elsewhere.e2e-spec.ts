import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANONYMOUS_PRINCIPAL, PAGES_OPERATION_ID, PRINCIPAL_HEADER } from '@app/auth';
import { type IdentityUnderTest, identityUnderTest } from '../identity/identity-under-test.js';
import { root } from '../../scripts/build/project.mjs';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { runningApp, spawnApp } from '../support/running-app.js';

const END_MS = 60_000;
/**
 * The compiled entry rather than the bundle, which is one file: it holds this code, too, and runs it only when it is
 * imported.
 */
const ENTRY = join(root, 'dist/apps/identity/src/main.js');

const TEST_WALLET = JSON.stringify({
  rpcUrl: 'http://127.0.0.1:8545',
  chainId: 31_337,
  accounts: { holder: `0x${'1'.repeat(40)}` },
});

const ofTheWallet = (url: string): boolean => /test-wallet|local-app/.test(url);

describe('the test wallet outside of the local profile', () => {
  let database: FreshDatabase;
  let identity: IdentityUnderTest;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    identity = await identityUnderTest(database.url);
  });

  afterAll(async () => {
    await database.drop();
  });

  it('test wallet outside of the local profile: prevents the start in production', async () => {
    const { code, story } = await endOf({ ...identity.env, TEST_WALLET, NODE_ENV: 'production' });
    expect(story).toContain('TEST_WALLET: lets anyone sign in: it is refused');
    expect(code).toBe(78);
  });

  it('test wallet outside of the local profile: is absent in production, with no route, no script and no loaded code', async () => {
    const inProduction = await visit(identity, { NODE_ENV: 'production' });
    expect(inProduction).toMatchObject({
      accounts: 404,
      signatures: 404,
      signIns: 404,
      badges: 404,
      script: 404,
      page: 200,
      named: false,
    });
    expect(inProduction.loaded.filter(ofTheWallet)).toEqual([]);

    // The control run has all of it. The routes answer 403, because the request has no session.
    const local = await visit(identity, { NODE_ENV: 'test', TEST_WALLET });
    expect(local).toMatchObject({
      accounts: 403,
      signatures: 403,
      signIns: 403,
      script: 200,
      page: 200,
      named: true,
    });
    expect(
      local.loaded
        .filter(ofTheWallet)
        .map((url) => basename(url))
        .sort(),
    ).toEqual([
      'local-app.module.js',
      'test-account.controller.js',
      'test-wallet-badges.controller.js',
      'test-wallet.config.js',
      'test-wallet.controller.js',
      'token-communities.service.js',
    ]);
  });
});

/** Starts identity and waits for its exit. */
async function endOf(env: NodeJS.ProcessEnv): Promise<{ code: number | null; story: string }> {
  const app = spawnApp('identity', env);
  const closed = new Promise((resolve) => app.process.once('close', resolve));
  const late = setTimeout(() => app.process.kill('SIGKILL'), END_MS);
  await closed;
  clearTimeout(late);
  return { code: app.process.exitCode, story: app.logLines.join('\n') };
}

/** Calls identity as the gateway does. @returns the responses and the files that the process has loaded */
async function visit(identity: IdentityUnderTest, env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-loaded-'));
  try {
    const app = await runningApp('identity', { ...identity.env, ...env, NODE_V8_COVERAGE: folder }, ENTRY);
    const headers = {
      [PRINCIPAL_HEADER]: await identity.tokenFor(
        ANONYMOUS_PRINCIPAL,
        'gateway',
        'identity',
        PAGES_OPERATION_ID,
      ),
    };
    const ask = (path: string, method = 'GET') => fetch(app.url + path, { method, headers });
    const post = async (path: string) => (await ask(path, 'POST')).status;
    const page = await ask('/login');
    const answers = {
      accounts: await post('/login/test-wallet/accounts'),
      signatures: await post('/login/test-wallet/signatures'),
      signIns: await post('/portal/test-wallet/sign-ins'),
      badges: (await ask('/portal/test-wallet')).status,
      script: (await ask('/pages/x/local/test-wallet.js')).status,
      page: page.status,
      named: (await page.text()).includes('test-wallet'),
    };
    await app.stop();
    return { ...answers, loaded: await scriptsIn(folder) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The loaded files according to V8's coverage reports. */
async function scriptsIn(folder: string): Promise<string[]> {
  const reports = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return reports.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
}
