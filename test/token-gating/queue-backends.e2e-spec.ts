import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { LocalChain } from '../support/local-chain.js';
import { LocalRedis } from '../support/local-redis.js';
import { GatingApp } from './gating-app.js';
import { describeBackends } from '../support/needs.js';
import { until } from '../support/until.js';

const callbackKeySecret = randomBytes(32).toString('base64url');

const backends: ('PostgreSQL' | 'Redis')[] = ['PostgreSQL', 'Redis'];

describeBackends(backends, 'asynchronous checks with queues on %s', (backend) => {
  let chain: LocalChain;
  let redis: LocalRedis | undefined;
  let gating: GatingApp;
  let sql: pg.Client;
  let env: Record<string, string>;

  beforeAll(async () => {
    chain = await LocalChain.start();
    await chain.installMulticall3();
    redis = backend === 'Redis' ? await LocalRedis.start({ args: ['--appendonly', 'yes'] }) : undefined;
    env = {
      RPC_URL_31337: chain.rpcUrl,
      SWEEP_INTERVAL_MS: '200',
      SWEEP_AFTER_MS: '1000',
      QUEUE_LOCK_MS: '1000',
      QUEUE_STALLED_INTERVAL_MS: '500',
      CHECK_REREAD_AFTER_MS: '200',
      RPC_TIMEOUT_MS: '500',
      CALLBACK_KEY_SECRET: callbackKeySecret,
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
      ...(redis ? { REDIS_URL: redis.url } : {}),
    };
    gating = await GatingApp.start(env);
    sql = new pg.Client({ connectionString: gating.databaseUrl });
    await sql.connect();
  });

  afterAll(async () => {
    await sql.end();
    await gating.stop();
    await redis?.stop();
    await chain.stop();
  });

  const rules = [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' }];

  const requestCheck = async () => {
    const { status, body } = await gating.check({
      account: chain.client.account.address,
      rules,
      async: true,
    });
    expect(status).toBe(200);
    return (body as { requestId: string }).requestId;
  };

  const result = async (requestId: string) => {
    const poll = () => gating.request('GET', `/access-control/check-roles/responses/${requestId}`);
    let response = await poll();
    await until('the check is finished', async () => (response = await poll()).status !== 202);
    return response.body;
  };

  const granted = (requestId: string) => ({ requestId, roles: [{ id: 'rich', granted: true }], errors: [] });

  it('asynchronous checks: enqueues stored checks whose job was lost', async () => {
    const id = randomUUID();
    await sql.query(
      `INSERT INTO token_gating.checks (id, client_id, request_hash, request, reply, next_run_at, expires_at)
       VALUES ($1, 'client_1', '', $2, false, now(), now() + interval '1 hour')`,
      [id, JSON.stringify({ account: chain.client.account.address, rules })],
    );
    expect(await result(id)).toEqual(granted(id));
  });

  it('asynchronous checks: are retried while a node is unavailable, and finish afterwards', async () => {
    const requestId = await requestCheck();
    await result(requestId);
    await chain.pause();
    const pending = await requestCheck();
    await sleep(1_000);
    const { status } = await gating.request('GET', `/access-control/check-roles/responses/${pending}`);
    expect(status).toBe(202);
    chain.resume();
    expect(await result(pending)).toEqual(granted(pending));
  });
});
