import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPostgresBackend, Queue } from 'bullmq';
import pg from 'pg';
import { v8Flags } from '../scripts/processes/app-processes.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { startRedis } from './support/redis.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @typedef {Pick<Queue, 'name' | 'pause' | 'resume' | 'addBulk' | 'close'>} DrainedQueue on either backend */
/** @typedef {{ worker: string, queue: DrainedQueue, perSecond: number[] }} Side */

const BACKLOG = 3_000;
const ROUNDS = 5;

/** A backlog of asynchronous checks, beside the same backlog whose worker only updates the rows. @param {Children} children */
export async function drain(children) {
  const redisUrl = await startRedis(children);
  const rows = await drainOn(children, 'PostgreSQL', undefined);
  if (redisUrl) rows.push(...(await drainOn(children, 'Redis', redisUrl)));
  return table(
    `${BACKLOG} asynchronous checks, jobs/s, median of ${ROUNDS} rounds (wanted: at least 0.6)`,
    ['queues on', 'worker', 'jobs/s', 'ratio'],
    rows,
  );
}

/** @param {Children} children @param {string} backend @param {string | undefined} redisUrl */
async function drainOn(children, backend, redisUrl) {
  const suite = await startGatehouse(children, redisUrl ? { REDIS_URL: redisUrl } : {});
  const sql = new pg.Pool({ connectionString: suite.databaseUrl, max: 4 });
  const options = redisUrl
    ? { prefix: '{gatehouse}', connection: { url: redisUrl } }
    : { connection: { connectionString: suite.databaseUrl, schema: 'queue', max: 2 } };
  /** @param {string} name */
  const openQueue = (name) =>
    redisUrl ? new Queue(name, options) : new Queue(name, options, createPostgresBackend);
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
  /** @type {[Side, Side]} */
  const sides = [
    { worker: 'only updates the rows', queue: openQueue('reference'), perSecond: [] },
    { worker: 'Gatehouse', queue: openQueue('check-roles'), perSecond: [] },
  ];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { queue, perSecond } of sides) {
      const speed = await drainOnce({ queue, sql, account: suite.accounts.holder.address });
      if (round > 0) perSecond.push(speed); // the first one warms up
    }
  }
  await Promise.all([...sides.map(({ queue }) => queue.close()), sql.end()]);
  return sides.map(({ worker, perSecond }) => [
    backend,
    worker,
    fixed(median(perSecond), 0),
    fixed(median(perSecond) / median(sides[0].perSecond)),
  ]);
}

/** @param {Children} children @param {string} backend @param {string | undefined} redisUrl */
/** @param {{ queue: DrainedQueue, sql: pg.Pool, account: string }} options @returns {Promise<number>} jobs per second */
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
  const left = 'SELECT FROM token_gating.checks WHERE id = ANY($1::uuid[]) AND result IS NULL LIMIT 1';
  while ((await sql.query(left, [ids])).rows.length > 0) await sleep(50);
  return BACKLOG / ((performance.now() - started) / 1000);
}
