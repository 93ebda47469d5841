import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { CallbackLog, isAuthentic, type PublishedKeys } from '../support/callback-log.js';
import { databasePool } from '../support/database-pool.js';
import { LocalRedis } from '../support/local-redis.js';
import { describeBackends } from '../support/needs.js';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const TARGET: Address = '0x0000000000000000000000000000000000015800';
const CHAIN_ID = 31_337;
const PATH = '/accountkit/v2/operation-callback';
const STATES = ['accepted', 'signed', 'submitted', 'included', 'final'];

interface Change {
  clientId: string;
  account: string;
  userOpHash: string;
  state: string;
  seq: number;
  at: string;
}

describeBackends(BACKENDS, 'events of operations, over %s', (backend) => {
  let redis: LocalRedis | undefined;
  let receiver: CallbackLog;
  let kit: AccountKitSuite;
  let pool: pg.Pool;

  beforeAll(async () => {
    receiver = await CallbackLog.start();
    redis = backend === 'redis' ? await LocalRedis.prepare() : undefined;
    await redis?.start();
    kit = await startAccountKitSuite(
      {
        [`CONFIRMATIONS_${CHAIN_ID}`]: '1',
        CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
        CALLBACK_RETRY_AFTER_MS: '100,100,100',
        CALLBACK_POLL_MS: '100',
        ...(redis ? { REDIS_URL: redis.url } : {}),
      },
      { hasConsumers: true },
    );
    pool = databasePool(kit.suite.databaseUrl);
  });

  afterAll(async () => {
    await pool.end();
    await kit.stop();
    await redis?.stop();
    await receiver.stop();
  });

  const bodies = () => receiver.seen.map(({ body }) => JSON.parse(body.toString()) as Change);
  const changesOf = (hash: string) =>
    bodies()
      .filter(({ userOpHash }) => userOpHash === hash)
      .sort((a, b) => a.seq - b.seq);

  /** An account of its own for each operation. @returns its address and the hash */
  async function submit(userId: string): Promise<{ account: Address; hash: string }> {
    const headers = { 'X-ACCESS-TOKEN': kit.platforms.botToken(userId) };
    const { body: accounts } = await kit.call<{ evm: { address: Address }[] }>(
      '/accountkit/v2/platform/accounts?platform=chat',
      { headers },
    );
    const account = accounts.evm[0]?.address ?? '0x';
    await kit.chain.setNativeBalance(account, 10n ** 18n);
    const { status, body } = await kit.call<{ userOperationHash: string }>(
      `/accountkit/v2/platform/evm/submitUserOperation?platform=chat&chainId=${CHAIN_ID}`,
      { method: 'POST', headers, body: { userOps: [{ target: TARGET, value: '1' }] } },
    );
    expect({ status, body }).toMatchObject({ status: 200 });
    return { account, hash: body.userOperationHash };
  }

  /** Registers the receiver, which answers its challenge. */
  async function register(): Promise<void> {
    receiver.answer = ({ body }, response) => {
      const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
      if (challenge === undefined) response.writeHead(204).end();
      else response.end(JSON.stringify({ challenge }));
    };
    const body = { callbackUrl: receiver.url() };
    expect(await kit.call(PATH, { method: 'PUT', body })).toMatchObject({ status: 200 });
    await until('the receiver is verified', async () => {
      const { body: found } = await kit.call<{ callbackUrlVerified: boolean }>(PATH);
      return found.callbackUrlVerified;
    });
  }

  const counts = async (): Promise<Record<string, number>> => {
    const { rows } = await pool.query<{ state: string; count: number }>(
      `SELECT state, count::int FROM analytics.operation_counts
       WHERE client_id = $1 AND chain = $2 AND day = (now() AT TIME ZONE 'UTC')::date`,
      [kit.client.clientId, String(CHAIN_ID)],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };

  it('events of operations: reach only a receiver that has answered its challenge', async () => {
    expect(await kit.call(PATH)).toMatchObject({
      status: 404,
      body: { error: { details: { code: 'callback_not_found' } } },
    });
    expect(await kit.call(PATH, { method: 'PUT', body: { callbackUrl: 'http://10.0.0.1/' } })).toMatchObject({
      status: 400,
      body: { error: { details: { code: 'input_invalid' } } },
    });
    const body = { callbackUrl: receiver.url('/silent') };
    expect(await kit.call(PATH, { method: 'PUT', body })).toMatchObject({ status: 200 });
    await until('the challenge was sent', () => receiver.seen.length > 0);
    await submit('8101');
    await until('all changes are counted', async () => (await counts())['final'] === 1);
    expect(await kit.call(PATH)).toMatchObject({
      status: 200,
      body: { ...body, callbackUrlVerified: false },
    });
    expect(bodies().filter(({ userOpHash }) => userOpHash)).toEqual([]);
  });

  it('events of operations: are sent once for each change, signed, and counted', async () => {
    await register();
    const before = await counts();
    const { account, hash } = await submit('8102');
    await until('all changes came', () => changesOf(hash).length >= STATES.length);
    const fields = { clientId: kit.client.clientId, account, chainId: CHAIN_ID, userOpHash: hash };
    const changes = changesOf(hash);
    expect(changes).toEqual(
      STATES.map((state, index) => ({ ...fields, state, seq: index + 1, at: expect.any(String) })),
    );
    expect(changes.map(({ at }) => at).toSorted()).toEqual(changes.map(({ at }) => at));
    const keys = (await (
      await fetch(`${kit.suite.gatewayUrl}/.well-known/jwks.json`)
    ).json()) as PublishedKeys;
    const seen = receiver.seen.filter(({ body }) => body.toString().includes(hash));
    expect(seen.map((callback) => isAuthentic(callback, keys))).toEqual(seen.map(() => true));
    await until('all changes are counted', async () => (await counts())['final'] === 2);
    expect(await counts()).toEqual(
      Object.fromEntries(STATES.map((state) => [state, (before[state] ?? 0) + 1])),
    );
  });

  it('events of operations: count and call back once when they are delivered twice', async () => {
    const before = await counts();
    const event = {
      id: randomUUID(),
      at: new Date().toISOString(),
      type: 'operation.changed',
      clientId: kit.client.clientId,
      account: TARGET,
      chainId: CHAIN_ID,
      userOpHash: `0x${randomUUID().replaceAll('-', '')}`,
      kind: 'call',
      state: 'stuck',
      seq: 7,
    };
    const send = () =>
      pool.query(
        `INSERT INTO account_kit.outbox (queue, payload)
         SELECT unnest(ARRAY['operation-events', 'operation-callbacks']), $1`,
        [{ version: 1, batchId: randomUUID(), events: [event] }],
      );
    await Promise.all([send(), send()]);
    await until('it was called back', () => changesOf(event.userOpHash).length > 0);
    await send();
    await submit('8103');
    await until('a later operation is counted', async () => (await counts())['final'] === 3);
    await until('the outbox is empty', async () => {
      const { rows } = await pool.query('SELECT FROM account_kit.outbox');
      return rows.length === 0;
    });
    expect((await counts())['stuck']).toBe((before['stuck'] ?? 0) + 1);
    expect(changesOf(event.userOpHash)).toHaveLength(1);
  });

  it('events of operations: are retried until the receiver takes them', async () => {
    let failures = 2;
    receiver.answer = ({ body }, response) =>
      void response.writeHead(body.includes('"signed"') && failures-- > 0 ? 500 : 204).end();
    const { hash } = await submit('8104');
    const attempts = () => changesOf(hash).filter(({ state }) => state === 'signed');
    await until('the third attempt came', () => attempts().length === 3);
    const ids = receiver.seen
      .filter(({ body }) => body.includes(hash) && body.includes('"signed"'))
      .map(({ deliveryId }) => deliveryId);
    expect(new Set(ids).size).toBe(1);
  });

  it('events of operations: wait while the queue is away, and the operation does not', async () => {
    if (!redis) return;
    await redis.kill();
    const { hash } = await submit('8105');
    await until('the operation is final', async () => {
      const { rows } = await pool.query(
        'SELECT FROM account_kit.user_operations WHERE hash = $1 AND state = $2',
        [hash, 'final'],
      );
      return rows.length === 1;
    });
    expect(changesOf(hash)).toEqual([]);
    await redis.start();
    await until('all changes came', () => changesOf(hash).length >= STATES.length);
  });

  it('events of operations: are not sent to a URL that was removed', async () => {
    expect(await kit.call(PATH, { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await kit.call(PATH, { method: 'DELETE' })).toMatchObject({ status: 404 });
    const { hash } = await submit('8106');
    await until('the operation is counted', async () => {
      const { rows } = await pool.query(
        `SELECT FROM account_kit.user_operations WHERE hash = $1 AND state = 'final'
           AND NOT EXISTS (SELECT FROM account_kit.outbox)`,
        [hash],
      );
      return rows.length === 1;
    });
    expect(changesOf(hash)).toEqual([]);
  });
});
