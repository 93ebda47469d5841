import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LocalRedis } from '../support/local-redis.js';
import { describeBackends, describeWithRedis } from '../support/needs.js';
import { foreignQueue } from './foreign-queue.js';
import { BACKENDS, QueueWorld, someJobs, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';

const KEPT = 50;
const PER_REQUEST = 500;

describe('T09: retention of finished jobs', () => {
  let world: QueueWorld;
  let redis: LocalRedis | undefined;

  afterEach(async () => {
    await world.stop();
    await redis?.stop();
    redis = undefined;
  });

  const countProcessed = async (app: TestApp): Promise<number> => {
    const text = await app.metrics();
    const counts = [...text.matchAll(/^queue_jobs_processed_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  };

  /** Runs jobs, half of which fail. */
  const work = async (app: TestApp, count: number): Promise<void> => {
    const before = await countProcessed(app);
    for (let sent = 0; sent < count; sent += PER_REQUEST) {
      const half = PER_REQUEST / 2;
      const jobs = [...someJobs(half, { act: 'unseen' }), ...someJobs(half, { act: 'give-up-unseen' })];
      await until('enqueued', async () => (await app.enqueue(jobs)).status === 200);
    }
    await until('processed', async () => (await countProcessed(app)) === before + count);
  };

  const ready = async (env: Record<string, string>): Promise<TestApp> => {
    const options = { CONCURRENCY: '20', QUEUE_KEEP_FAILED: String(KEPT), QUEUE_ENQUEUE_TIMEOUT_MS: '10000' };
    const app = await world.app('busy', { ...env, ...options });
    await until('ready', async () => (await app.health('ready')) === 200);
    return app;
  };

  describeWithRedis('on Redis', () => {
    // Redis' memory is measured with the apps: test/faults/full-redis.fault-spec.ts.
    it('retention of finished jobs, on Redis: is bounded in keys', async () => {
      redis = await LocalRedis.start();
      world = await QueueWorld.make('postgres');
      const app = await ready({ REDIS_URL: redis.url });
      await work(app, 2_000);
      const keys = Number((await redis.command('DBSIZE')).slice(1));
      expect(keys).toBeGreaterThanOrEqual(KEPT);
      expect(keys).toBeLessThan(KEPT + 20);
    }, 120_000);
  });

  describeBackends(BACKENDS, 'on %s', (name) => {
    it('retention of finished jobs: is bounded when a producer leaves out the options', async () => {
      world = await QueueWorld.make(name);
      const app = await ready(world.backend.env);
      const { queue, close } = foreignQueue(world.backend.env);
      const half = 2 * KEPT;
      const jobs = [...someJobs(half, { act: 'unseen' }), ...someJobs(half, { act: 'give-up-unseen' })];
      await queue.addBulk(jobs.map((data) => ({ name: 'test-jobs', data, opts: { jobId: data.id } })));
      await until('processed', async () => (await countProcessed(app)) === jobs.length);
      const { completed, failed = 0 } = await queue.getJobCounts('completed', 'failed');
      await close();
      expect(completed).toBe(0);
      expect(failed).toBeGreaterThanOrEqual(KEPT);
      expect(failed).toBeLessThan(KEPT + 20);
    });
  });

  it('retention of finished jobs: is bounded in rows on PostgreSQL', async () => {
    world = await QueueWorld.make('postgres');
    const app = await ready({});
    await work(app, 2_000);
    const client = new pg.Client({ connectionString: world.database.url });
    await client.connect();
    const { rows } = await client.query<{ jobs: number; events: number }>(
      'SELECT (SELECT count(*)::int FROM queue.job) AS jobs, (SELECT count(*)::int FROM queue.event) AS events',
    );
    await client.end();
    expect(rows[0]?.jobs).toBeGreaterThanOrEqual(KEPT);
    expect(rows[0]?.jobs).toBeLessThan(KEPT + 20);
    expect(rows[0]?.events).toBeLessThan(2_000);
  }, 120_000);
});
