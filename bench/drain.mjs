import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPostgresBackend, Queue } from 'bullmq';
import pg from 'pg';
import { v8Flags } from '../scripts/local/app-processes.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { startRedis } from './support/redis.mjs';
import { fixed, median, table } from './support/table.mjs';

const BACKLOG = 3_000;
const ROUNDS = 5;

/** A backlog of asynchronous checks, beside the same backlog whose worker only updates the rows. */
export async function drain(children) {
  const redisUrl = await startRedis(children);
  const backends = [['PostgreSQL', undefined], ...(redisUrl ? [['Redis', redisUrl]] : [])];
  const rows = [];
  for (const [name, url] of backends) rows.push(...(await drainOn(children, name, url)));
  return table(
    `${BACKLOG} asynchronous checks, jobs/s, median of ${ROUNDS} rounds (wanted: at least 0.6)`,
    ['queues on', 'worker', 'jobs/s', 'ratio'],
    rows,
  );
}

async function drainOn(children, backend, redisUrl) {
  const suite = await startGatehouse(children, redisUrl ? { REDIS_URL: redisUrl } : {});
  const sql = new pg.Pool({ connectionString: suite.databaseUrl, max: 4 });
  const options = redisUrl
    ? { prefix: '{gatehouse}', connection: { url: redisUrl } }
    : { connection: { connectionString: suite.databaseUrl, schema: 'queue', max: 2 } };
  const queues = Object.fromEntries(
    ['check-roles', 'reference'].map((name) => [
      name,
      new Queue(name, options, ...(redisUrl ? [] : [createPostgresBackend])),
    ]),
  );
  const reference = children.startApp(
    `reference-worker-${backend}`,
    [...v8Flags, fileURLToPath(new URL('support/reference-worker.mjs', import.meta.url))],
    {
      DATABASE_URL: suite.databaseUrl,
      REDIS_URL: redisUrl ?? '',
      NODE_ENV: 'production',
      PATH: process.env.PATH,
    },
  );
  await once(reference.process, 'message');
  const sides = [
    { worker: 'only updates the rows', queue: queues.reference, perSecond: [] },
    { worker: 'Gatehouse', queue: queues['check-roles'], perSecond: [] },
  ];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { queue, perSecond } of sides) {
      const speed = await drainOnce({ queue, sql, account: suite.accounts.holder.address });
      if (round > 0) perSecond.push(speed); // the first one warms up
    }
  }
  await Promise.all([...Object.values(queues).map((queue) => queue.close()), sql.end()]);
  return sides.map(({ worker, perSecond }) => [
    backend,
    worker,
    fixed(median(perSecond), 0),
    fixed(median(perSecond) / median(sides[0].perSecond)),
  ]);
}

async function drainOnce({ queue, sql, account }) {
  const ids = Array.from({ length: BACKLOG }, () => randomUUID());
  const rules = [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' }];
  await sql.query(
    `INSERT INTO token_gating.checks (id, client_id, request_hash, request, reply, next_run_at, expires_at)
     SELECT id, 'client_bench', '', $2::jsonb, false, now() + interval '1 hour', now() + interval '1 day'
     FROM unnest($1::uuid[]) AS id`,
    [ids, JSON.stringify({ account, rules })],
  );
  await queue.pause();
  for (let start = 0; start < ids.length; start += 500) {
    const jobs = ids.slice(start, start + 500).map((requestId) => ({
      name: queue.name,
      data: { version: 1, requestId },
      opts: { jobId: requestId, removeOnComplete: true },
    }));
    await queue.addBulk(jobs);
  }
  const started = performance.now();
  await queue.resume();
  const left =
    'SELECT count(*)::int AS count FROM token_gating.checks WHERE id = ANY($1::uuid[]) AND result IS NULL';
  while ((await sql.query(left, [ids])).rows[0].count > 0) await sleep(50);
  return BACKLOG / ((performance.now() - started) / 1000);
}
