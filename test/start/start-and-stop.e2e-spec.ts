import { execFile } from 'node:child_process';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { apps } from '../../scripts/suite/apps.mjs';
import { elsewhereFor } from '../../scripts/postgres/postgres-place.mjs';
import { until } from '../support/until.js';
import { expectDemoHistory } from './demo-history.js';
import { NpmStart, type StartSettings } from './npm-start.js';
import { type Demo, ProjectCopy, type RunRecord } from './project-copy.js';
import { portalAs } from './test-wallet-login.js';

const MORE_THAN_AN_ECHO_MS = 800;
/** Most endings are the same with and without demo data. */
const WITHOUT_DEMO: StartSettings = { options: ['--no-demo'] };
const isRoot = process.getuid?.() === 0;

/** Every ending is the ending of a whole `npm start` with real processes. */
describe('npm start', () => {
  let project: ProjectCopy;
  let current: NpmStart | undefined;
  let first: Demo | undefined;

  beforeAll(async () => {
    project = await ProjectCopy.make();
  });
  afterEach(async () => {
    await current?.destroy();
  });
  afterAll(() => {
    project.remove();
  });

  const postmasterFile = () => join(project.folder, '.local/postgres/data/postmaster.pid');
  const start = (settings?: StartSettings): NpmStart => (current = new NpmStart(project, settings));
  const startUp = async (settings?: StartSettings): Promise<[NpmStart, RunRecord]> => {
    const run = start(settings);
    await run.up();
    return [run, project.run()];
  };

  it('npm start: names the taken port and who has it, and starts nothing', async () => {
    const server = createServer().listen(Number(project.ports.IDENTITY_PORT), '127.0.0.1');
    const run = start();
    expect(await run.exitCode()).toBe(1);
    server.close();
    expect(run.output).toContain(`Port ${project.ports.IDENTITY_PORT} (identity) is taken`);
    expect(run.output).toContain('IDENTITY_PORT=');
    if (process.platform === 'linux') expect(run.output).toContain(`process ${process.pid}`);
    expect(existsSync(join(project.folder, '.local/postgres'))).toBe(false);
    expect(run.output).not.toContain('Build');
  });

  it('npm start: lets one sign in without a wallet, runs once only, and ends on Ctrl-C', async () => {
    const [run, record] = await startUp();
    expect(run.output).toContain('ok Build');
    const { gatewayUrl, holder, outsider } = project.demo();
    await expectDemoHistory(project.demo());

    expect(run.output).toContain('Test wallet (local): holder');
    const asHolder = await portalAs(gatewayUrl, 'holder');
    expect(asHolder).toContain(holder.address);
    expect(asHolder).toContain('/portal/approvals');
    const { clientId } = project.demo();
    expect(asHolder).toContain(`/portal/applications/${clientId}`);
    const asOutsider = await portalAs(gatewayUrl, 'outsider');
    expect(asOutsider).toContain(outsider.address);
    expect(asOutsider).not.toContain('/portal/approvals');
    expect(asOutsider).not.toContain(clientId);

    const second = new NpmStart(project);
    expect(await second.exitCode()).toBe(1);
    expect(second.output).toContain(`runs already: process ${record.pid}`);

    expect(statSync(join(project.folder, '.local/demo.json')).mode & 0o777).toBe(0o600);
    const demo = project.demo();
    // The outsider can sign, and has nothing all the same.
    expect(await ask(demo, 'eth_getBalance', [demo.outsider.address, 'latest'])).toBe('0x0');
    await giveCoin(demo);
    first = demo;
    await query(record.databaseUrl, 'CREATE TABLE kept (note text)');

    run.signalGroup('SIGINT');
    expect(await run.exitCode()).toBe(0);
    expect(run.left(record)).toEqual([]);
  });

  it('npm start: keeps its data for the next start, and ends at once on a second Ctrl-C', async () => {
    const [run, record] = await startUp({ env: { SHUTDOWN_DELAY_MS: '12000' } });
    const demo = project.demo();
    // Every start makes its own checks and payments.
    const { polledRequestId, calledBackRequestId, userOperationHash } = demo;
    const { solanaTransaction, solanaSignature, credentialId, credential } = demo;
    const own = {
      polledRequestId,
      calledBackRequestId,
      userOperationHash,
      solanaTransaction,
      solanaSignature,
      credentialId,
      credential,
    };
    expect({ ...first, ...own }).toEqual(demo);
    expect(await coinsOf(demo, demo.outsider.address)).toBe(1n);
    await query(record.databaseUrl, 'SELECT note FROM kept');

    run.signalGroup('SIGINT');
    await until('the gateway drains', () => project.log('gateway').includes('shutting down'));
    await sleep(MORE_THAN_AN_ECHO_MS);
    run.signalGroup('SIGINT');
    expect(await run.exitCode()).toBe(0);
    expect(run.left(record)).toEqual([]);
    expect(project.log('gateway')).toContain('shutting down');
    expect(project.log('gateway')).not.toContain('shut down'); // it did not get to the end of its drain
  });

  it('npm start: starts only the apps with --no-demo, shows how to make an API key, and leaves nothing behind after SIGTERM to npm', async () => {
    const [run, record] = await startUp(WITHOUT_DEMO);
    const names = record.children.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(apps.map(({ name }) => name)));
    expect(names).toEqual(expect.not.arrayContaining(['receiver', 'open-sea', 'platforms']));
    expect(await checkWithOwnKey(run, project)).toEqual({ roles: [{ id: '001', granted: true }] });

    expect(run.left(record).length).toBeGreaterThan(record.children.length);
    run.signalNpm('SIGTERM');
    expect(await run.untilNothingIsLeft(record)).toEqual([]);
    expect(existsSync(postmasterFile())).toBe(false);
  });

  it('npm start: leaves nothing behind after a closed terminal', async () => {
    const [run, record] = await startUp(WITHOUT_DEMO);
    expect(run.left(record).length).toBeGreaterThan(record.children.length);
    run.signalGroup('SIGHUP');
    expect(await run.untilNothingIsLeft(record)).toEqual([]);
    expect(existsSync(postmasterFile())).toBe(false);
  });

  it('npm start: can be started again at once after kill -9 of the start script, and leaves nothing behind after kill -9 of npm', async () => {
    const [killed, killedRecord] = await startUp({ ...WITHOUT_DEMO, env: { SHUTDOWN_DELAY_MS: '1000' } });
    process.kill(killedRecord.pid, 'SIGKILL');
    const [run, record] = await startUp(WITHOUT_DEMO);
    expect(killed.left(killedRecord)).toEqual([]);
    run.signalNpm('SIGKILL');
    expect(await run.untilNothingIsLeft(record)).toEqual([]);
  });

  it('npm start: ends everything and says why when an app dies, wherever the data stands', async () => {
    // Root in a folder that PostgreSQL's own user cannot enter, as below /root.
    if (isRoot) chmodSync(project.folder, 0o700);
    const [run, record] = await startUp(WITHOUT_DEMO);
    if (isRoot) expect(existsSync(join(elsewhereFor(project.folder), 'postgres/data/PG_VERSION'))).toBe(true);
    const identity = record.children.find(({ name }) => name === 'identity');
    process.kill(identity?.pid ?? NaN, 'SIGKILL');
    expect(await run.exitCode()).toBe(1);
    expect(run.output).toContain('identity ended unexpectedly: signal SIGKILL');
    expect(run.left(record)).toEqual([]);
  });
});

/** Makes a client application as the banner shows, and asks for coins of the local chain with its API key. */
async function checkWithOwnKey(run: NpmStart, project: ProjectCopy): Promise<unknown> {
  const command = run.output
    .split('\n')
    .find((line) => line.trim().startsWith('npm run gatehouse -- client create'));
  const { stdout } = await promisify(execFile)('bash', ['-c', `${command ?? 'false'} --json`], {
    cwd: project.folder,
    timeout: 120_000,
  });
  const { apiKey } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { apiKey: string };
  const { gatewayUrl, chainId, holder } = project.demo();
  const rule = { type: 'NATIVE', chainId, minToken: '1', roleId: '001' };
  const response = await fetch(`${gatewayUrl}/access-control/check-roles`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
    body: JSON.stringify({ account: holder.address, rules: [rule] }),
  });
  return response.json();
}

async function query(databaseUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

const word = (hex: string): string => hex.replace('0x', '').padStart(64, '0');

/** Sends the smallest part of a coin from the holder to the outsider. */
async function giveCoin(demo: Demo): Promise<void> {
  const data = `0xa9059cbb${word(demo.outsider.address)}${word('1')}`;
  await ask(demo, 'eth_sendTransaction', [{ from: demo.holder.address, to: demo.tokens.erc20, data }]);
  await until('the coin is there', async () => (await coinsOf(demo, demo.outsider.address)) === 1n);
}

async function coinsOf(demo: Demo, address: string): Promise<bigint> {
  const data = `0x70a08231${word(address)}`;
  return BigInt(await ask(demo, 'eth_call', [{ to: demo.tokens.erc20, data }, 'latest']));
}

async function ask(demo: Demo, method: string, params: unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(demo.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result: string }).result;
}
