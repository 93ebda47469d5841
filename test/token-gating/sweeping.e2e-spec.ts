import { afterEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { LocalRedis } from '../support/local-redis.js';
import { describeWithRedis } from '../support/needs.js';
import { until } from '../support/until.js';
import { GatingApp } from './gating-app.js';

/** The interval is so long that a sweep without immediate repetition would exceed the timeout of `until`. */
const SWEEP_INTERVAL_MS = '10000';
const ROWS = 7_500;

const SEED = `
  INSERT INTO token_gating.checks (id, client_id, request_hash, request, reply, result, done_at, next_run_at, expires_at)
  SELECT gen_random_uuid(), 'client_1', '\\x00', '{"account":"","rules":[]}', $2, $3::jsonb,
         now() - interval '1 day', now() - interval '1 day', now() + $4::interval
  FROM generate_series(1, $1)`;

let gating: GatingApp;
let sql: pg.Client;

async function start(env: Record<string, string> = {}): Promise<void> {
  gating = await GatingApp.start({ SWEEP_INTERVAL_MS, SWEEP_AFTER_MS: '600000', ...env });
  sql = new pg.Client({ connectionString: gating.databaseUrl });
  await sql.connect();
}

afterEach(async () => {
  await sql.end();
  await gating.stop();
});

const count = async (which: string): Promise<number> => {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM token_gating.checks WHERE ${which}`,
  );
  return rows[0]?.count ?? NaN;
};

const isQueueUnavailable = async (): Promise<boolean> => {
  const metrics = await fetch(`${gating.app.managementUrl}/metrics`);
  return /^queue_backend_usable\S* 0$/m.test(await metrics.text());
};

const NO_ROLES = JSON.stringify({ roles: [], errors: [] });

const untilExpiredAreDeleted = (): Promise<void> =>
  until('expired checks are deleted', async () => (await count('expires_at <= now()')) === 0, 45_000);

it('sweeping: deletes all expired checks without a pause', async () => {
  await start();
  await sql.query(SEED, [ROWS, false, NO_ROLES, '-1 second']);
  await untilExpiredAreDeleted();
}, 150_000);

it('CheckSweeper: publishes the late replies of other clients although results of one cannot be read', async () => {
  await start({ SWEEP_INTERVAL_MS: '200', SWEEP_AFTER_MS: '1000' });
  // The rows are more than one sweep takes, and older than the others.
  await sql.query(SEED, [600, true, JSON.stringify({ roles: 'none' }), '1 hour']);
  await sql.query(`UPDATE token_gating.checks SET done_at = done_at - interval '1 day'`);
  await sql.query(SEED, [10, true, NO_ROLES, '1 hour']);
  const readable = `result = '${NO_ROLES}'`;
  await until(
    'late replies are published',
    async () => (await count(`${readable} AND replied_at IS NOT NULL`)) === 10,
  );
  expect(await count('replied_at IS NULL')).toBe(600);
  await until('the others are logged', () =>
    gating.app.logLines.join('\n').includes('the reply of a check is published later'),
  );
}, 150_000);

describeWithRedis('sweeping while Redis is unavailable', () => {
  let redis: LocalRedis;

  afterEach(async () => {
    await redis.stop();
  });

  it('sweeping: deletes all expired checks, and enqueues lost ones when Redis is back', async () => {
    redis = await LocalRedis.start();
    await start({ REDIS_URL: redis.url });
    await redis.shutDown();
    await until('the queue is reported unavailable', isQueueUnavailable);
    const [lost, unreplied] = [20, 10];
    await sql.query(SEED, [lost, false, null, '1 hour']);
    await sql.query(SEED, [unreplied, true, NO_ROLES, '1 hour']);
    await sql.query(SEED, [ROWS, false, NO_ROLES, '-1 second']);
    await untilExpiredAreDeleted();
    expect(await count('result IS NULL AND next_run_at <= now()')).toBe(lost);
    await redis.start();
    await until(
      'lost checks are enqueued',
      async () => (await count('next_run_at <= now() AND result IS NULL')) === 0,
    );
    await until(
      'late replies are published',
      async () => (await count('reply AND replied_at IS NULL')) === 0,
    );
  }, 150_000);
});
