import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { databasePool } from '../support/database-pool.js';
import { LocalChain } from '../support/local-chain.js';
import { LocalPostgres } from '../support/local-postgres.js';
import { describeWithTmpfs } from '../support/needs.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { SmallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

const RULES = 100;
const RESUME_MS = 30_000;

describeWithTmpfs('PostgreSQL, with its data on a small disk', () => {
  const shared = process.env['TEST_DATABASE_URL'];
  let disk: SmallDisk;
  let server: LocalPostgres;
  let chain: LocalChain;
  let suite: RunningSuite;
  let apiKey: string;

  beforeAll(async () => {
    disk = await SmallDisk.mount(400);
    server = await LocalPostgres.start({}, undefined, disk.folder);
    process.env['TEST_DATABASE_URL'] = server.url;
    chain = await LocalChain.start();
    suite = await runningSuite({
      rpcUrls: { [chain.chainId]: chain.rpcUrl },
      env: { SWEEP_AFTER_MS: '2000' },
    });
    ({ apiKey } = await suite.createClient());
  });

  afterAll(async () => {
    await disk.makeRoom();
    await suite.stop();
    process.env['TEST_DATABASE_URL'] = shared;
    await server.stop();
    await disk.unmount();
    await chain.stop();
  });

  const readReady = async () => {
    const response = await fetch(`${suite.app('token-gating').managementUrl}/health/ready`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return { status: response.status, database: checks['database'] };
  };

  const send = (path: string, body?: object) =>
    fetch(`${suite.gatewayUrl}/access-control/check-roles${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  /**
   * Requests a check whose row takes several kilobytes, which soon fit into no page.
   * @returns its id, or the status that refused it
   */
  const requestCheck = async (): Promise<string | number> => {
    const rule = { type: 'NATIVE', chainId: chain.chainId, minToken: '1' };
    const rules = Array.from({ length: RULES }, (_, index) => ({
      ...rule,
      roleId: `${crypto.randomUUID()}-${index}`,
    }));
    const response = await send('', { account: chain.client.account.address, rules, async: true });
    const { requestId } = (await response.json()) as { requestId?: string };
    return requestId ?? response.status;
  };

  it('T243: PostgreSQL, with its data on a small disk: a disk without room refuses writes with 503 and makes apps not ready; afterwards they go on, and every acknowledged check is answered', async () => {
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    const requestChecks = async (count: number) => {
      for (let sent = 0; sent < count; sent += 1) {
        const outcome = await requestCheck();
        if (typeof outcome === 'number') statuses.add(outcome);
        else acknowledged.push(outcome);
      }
    };
    await requestChecks(3);
    expect(acknowledged).toHaveLength(3);
    // The rest of a new segment of the log is room enough for this test: where it is missing PostgreSQL itself ends.
    const pool = databasePool(server.url);
    await pool.query('SELECT pg_switch_wal()');
    await pool.query('CREATE TABLE written (id int)');
    await pool.query('CHECKPOINT');
    await disk.fill();
    await until('refused', async () => {
      await requestChecks(1);
      return statuses.size > 0;
    });
    expect([...statuses]).toEqual([503]);
    expect(await readReady()).toEqual({
      status: 503,
      database: expect.stringContaining('the disk of PostgreSQL is full'),
    });
    await expect(pool.query('CREATE TABLE refused AS SELECT 1')).rejects.toMatchObject({ code: '53100' });
    await pool.end();
    await disk.makeRoom();
    await until('ready', async () => (await readReady()).status === 200, RESUME_MS);
    await requestChecks(1);
    for (const id of acknowledged)
      await until('answered', async () => (await send(`/responses/${id}`)).status === 200);
  });
});
