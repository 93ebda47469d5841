import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/processes/ports.mjs';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { type RunningApp, runningApp, spawnApp } from '../support/running-app.js';
import { GATEWAY_ITSELF, identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';
import { type TcpForwarder, tcpForwarder } from './tcp-forwarder.js';

const UNTIL_TIMEOUT_MS = 60_000;

describe('identity during database outages', () => {
  let database: FreshDatabase;
  let forwarder: TcpForwarder;
  let identity: IdentityUnderTest;
  let app: RunningApp | undefined;

  beforeAll(async () => {
    database = await freshDatabase('identity');
  });

  beforeEach(async () => {
    const target = new URL(database.url);
    const port = await freePort();
    forwarder = tcpForwarder(port, { host: target.hostname, port: Number(target.port || 5432) });
    target.host = `127.0.0.1:${String(port)}`;
    identity = await identityUnderTest(target.href, {
      DATABASE_POOL_SIZE: '2',
      DATABASE_STATEMENT_TIMEOUT_MS: '2000',
    });
  });

  afterEach(async () => {
    expect(await app?.stop()).toBe(0);
    await forwarder.close();
  });

  afterAll(async () => {
    await database.drop();
  });

  const health = async (kind: 'live' | 'ready'): Promise<number> =>
    (await fetch(`${app?.managementUrl ?? ''}/health/${kind}`)).status;

  const ask = async (): Promise<number> => {
    const response = await identity.post('/internal/credentials', GATEWAY_ITSELF, { apiKey: 'unknown' });
    await response.text();
    return response.status;
  };

  async function until(isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + UNTIL_TIMEOUT_MS;
    while (!(await isTrue().catch(() => false))) {
      if (Date.now() > deadline) throw new Error('the condition never became true');
      await sleep(50);
    }
  }

  it('identity during database outages: starts without the database and becomes ready when it is available', async () => {
    app = spawnApp('identity', identity.env);
    await until(async () => (await ask()) === 503);
    expect(await health('live')).toBe(200);
    expect(await health('ready')).toBe(503);
    await forwarder.open();
    await until(async () => (await health('ready')) === 200);
    expect(await ask()).toBe(200);
  });

  it('identity during database outages: is not ready before its migrations are applied', async () => {
    const empty = await freshDatabase();
    identity = await identityUnderTest(empty.url);
    await forwarder.open();
    app = spawnApp('identity', identity.env);
    const ready = async () => fetch(`${app?.managementUrl ?? ''}/health/ready`);
    await until(async () => (await (await ready()).text()).includes('pending migrations'));
    expect(await health('ready')).toBe(503);
    expect(await app.stop()).toBe(0);
    await empty.drop();
  });

  it('identity during database outages: recovers from closed and from silent database connections', async () => {
    await forwarder.open();
    app = await runningApp('identity', identity.env);
    expect(await ask()).toBe(200);
    await forwarder.close();
    expect(await ask()).toBe(503);
    expect([await health('live'), await health('ready')]).toEqual([200, 503]);
    await forwarder.open();
    expect(await ask()).toBe(200);
    forwarder.goSilent();
    expect(await health('ready')).toBe(503);
    await until(async () => (await ask()) === 200);
    expect(await health('ready')).toBe(200);
  });

  it('identity during database outages: answers every request while its connections are terminated repeatedly', async () => {
    await forwarder.open();
    app = await runningApp('identity', identity.env);
    let isOver = false;
    const asking = Array.from({ length: 8 }, async () => {
      const statuses: number[] = [];
      while (!isOver) statuses.push(await ask());
      return statuses;
    });
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'identity'`;
    for (let round = 0; round < 10; round++) await queryDatabase(database.url, terminate);
    isOver = true;
    const statuses = new Set((await Promise.all(asking)).flat());
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    // A connection that was told to end may do so a moment later.
    await until(async () => (await ask()) === 200);
    expect(app.process.exitCode).toBeNull();
  });

  it('identity during database outages: answers fifty concurrent requests over two connections', async () => {
    await forwarder.open();
    app = await runningApp('identity', identity.env);
    const asking = Promise.all(Array.from({ length: 50 }, ask));
    expect(await health('live')).toBe(200);
    expect(new Set(await asking)).toEqual(new Set([200]));
  });
});
