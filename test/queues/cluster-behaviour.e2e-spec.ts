import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { fetchMetric, OutboxWorld } from '../outbox/outbox-world.js';
import { describeWithRedis } from '../support/needs.js';
import { foreignQueue } from './foreign-queue.js';
import { aJob, someJobs, STEADY_LOCK, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';

/** Each behaviour that the other files test on a single Redis and on PostgreSQL has a test here. */
describeWithRedis('a Redis Cluster behaves like one server', () => {
  let world: OutboxWorld;
  let apps: TestApp[] = [];

  beforeAll(async () => {
    world = await OutboxWorld.make('redis cluster');
  });

  afterEach(async () => {
    for (const app of apps) app.kill('SIGTERM');
    for (const app of apps) await app.ended;
    apps = [];
  });

  afterAll(async () => {
    await world.stop();
  });

  const start = async (worker: string, env: Record<string, string> = {}): Promise<TestApp> => {
    const app = await world.app(worker, env);
    apps.push(app);
    await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    return app;
  };

  it('T01: Redis Cluster behaves like one server: the job of a killed worker is repeated, with one effect', async () => {
    const killed = await start('killed', { CONCURRENCY: '1' });
    const job = aJob({ act: 'sleep-once', ms: 600_000 }); // the first run never ends
    await killed.enqueue([job]);
    await until('started', async () => (await world.queues.starts(job.id)).length === 1);
    await start('other');
    killed.kill('SIGKILL');
    await until('effect', () => world.areDone([job]));
    expect((await world.queues.starts(job.id)).map(({ worker }) => worker)).toEqual(['killed', 'other']);
  });

  it('T02: Redis Cluster behaves like one server: a worker that shuts down finishes its job and takes no new one', async () => {
    const app = await start('ending', { ...STEADY_LOCK, CONCURRENCY: '1', SHUTDOWN_DELAY_MS: '1000' });
    const running = aJob({ act: 'sleep', ms: 4_000 });
    const waiting = someJobs(3);
    await app.enqueue([running]);
    await until('started', async () => (await world.queues.starts(running.id)).length === 1);
    await app.enqueue(waiting);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    expect(await world.areDone([running])).toBe(true);
    const effects = await world.queues.effects();
    for (const { id } of waiting) expect(effects).not.toContain(id);
    await start('next');
    await until('the rest', () => world.areDone(waiting));
  });

  it('T10, T12: Redis Cluster behaves like one server: a job runs once however often it is enqueued, and a poisoned one is kept as failed', async () => {
    const app = await start('worker', STEADY_LOCK);
    const job = aJob({ act: 'sleep', ms: 5_000 });
    await Promise.all(Array.from({ length: 20 }, () => app.enqueue([job])));
    const poison = aJob({ act: 'throw' });
    await app.enqueue([poison]);
    await until('failed', async () => (await fetchMetric(app, 'queue_jobs', 'state="failed"')) === 1);
    await until('effect', () => world.areDone([job]));
    expect(await world.queues.starts(job.id)).toHaveLength(1);
    expect(await world.queues.starts(poison.id)).toHaveLength(3);
  });

  it('Redis Cluster behaves like one server: waiting jobs run by priority', async () => {
    const app = await start('worker', { ...STEADY_LOCK, CONCURRENCY: '1' });
    const { queue, close } = foreignQueue(world.queues.backend.env);
    try {
      const [last, urgent] = [someJobs(10, { rank: 7 }), aJob({ rank: 1 })];
      await queue.pause();
      await app.enqueue([...last, urgent]);
      await queue.resume();
      await until('done', () => world.areDone([...last, urgent]));
      const { rows } = await world.queues.notes.query<{ id: string }>(
        'SELECT id FROM starts WHERE id = ANY($1) ORDER BY at',
        [[...last, urgent].map(({ id }) => id)],
      );
      expect(rows.map(({ id }) => id)).toEqual([urgent, ...last].map(({ id }) => id));
    } finally {
      await close();
    }
  });

  it('T09: Redis Cluster behaves like one server: finished jobs of a foreign producer are bounded', async () => {
    const app = await start('worker', { QUEUE_KEEP_FAILED: '20' });
    const { queue, close } = foreignQueue(world.queues.backend.env);
    try {
      const jobs = [...someJobs(50, { act: 'unseen' }), ...someJobs(50, { act: 'give-up-unseen' })];
      await queue.addBulk(jobs.map((data) => ({ name: 'test-jobs', data, opts: { jobId: data.id } })));
      await until('processed', async () => (await fetchMetric(app, 'queue_jobs_processed_total')) === 100);
      const { completed, failed = 0 } = await queue.getJobCounts('completed', 'failed');
      expect(completed).toBe(0);
      expect(failed).toBeGreaterThanOrEqual(20);
      expect(failed).toBeLessThan(40);
    } finally {
      await close();
    }
  });

  it('Redis Cluster behaves like one server: several instances empty the outbox without sending a job twice', async () => {
    const writers = [await start('one'), await start('two')];
    const left = someJobs(500);
    await world.insertRows('test-jobs', left);
    const committed = writers.map((app) => ({ app, jobs: someJobs(100) }));
    for (const { app, jobs } of committed) expect(await app.commit(jobs)).toBe(200);
    const all = [...left, ...committed.flatMap(({ jobs }) => jobs)];
    await until('done', () => world.areDone(all));
    await until('empty', async () => (await world.countWaiting()) === 0);
    const sent = await Promise.all(writers.map((app) => fetchMetric(app, 'outbox_jobs_sent_total')));
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(all.length);
  });

  it('T07: Redis Cluster behaves like one server: committed jobs are sent after the cluster was unavailable', async () => {
    const app = await start('patient');
    await world.queues.backend.takeAway();
    const jobs = someJobs(10);
    expect(await app.commit(jobs)).toBe(200);
    await until('noticed', async () => (await fetchMetric(app, 'queue_backend_usable')) === 0);
    await world.queues.backend.bringBack();
    await until('done', () => world.areDone(jobs), 30_000);
  });
});
