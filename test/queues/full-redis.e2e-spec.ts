import { afterEach, expect, it } from '@jest/globals';
import { LocalRedis } from '../support/local-redis.js';
import { QueueWorld, someJobs, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';
import { describeWithRedis } from '../support/needs.js';

describeWithRedis('queues on Redis', () => {
  let redis: LocalRedis;
  let world: QueueWorld;

  afterEach(async () => {
    await world.stop();
    await redis.stop();
  });

  const isReady = (app: TestApp) => async () => (await app.health('ready')) === 200;

  it('T08: queues on Redis: reject new jobs while Redis is full, and run the accepted ones when it has room again', async () => {
    redis = await LocalRedis.start({ args: ['--maxmemory', '12mb', '--maxmemory-policy', 'noeviction'] });
    world = await QueueWorld.make('postgres');
    const app = await world.app('full', { REDIS_URL: redis.url, CONCURRENCY: '1' });
    await until('ready', isReady(app));
    const accepted = someJobs(30, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(accepted)).toEqual({ status: 200 });
    expect(await redis.command('SETRANGE filler 14000000 x')).toMatch(/^:/);
    expect(await redis.command('SET one more')).toMatch(/OOM/);
    expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    expect(await app.health('live')).toBe(200);
    expect(app.process.exitCode).toBeNull();
    await redis.command('DEL filler');
    await until('drained', async () => (await world.effects()).length === accepted.length);
    const more = someJobs(1);
    expect(await app.enqueue(more)).toEqual({ status: 200 });
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('queues on Redis: do not use a Redis that would evict jobs, until its policy is changed', async () => {
    redis = await LocalRedis.start({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    world = await QueueWorld.make('postgres');
    const app = await world.app('wary', { REDIS_URL: redis.url });
    await until('logged', () =>
      Promise.resolve(
        app.logLines.some((line) => line.includes('maxmemory-policy is allkeys-lru, not noeviction')),
      ),
    );
    expect(await app.health('ready')).toBe(503);
    expect(await app.health('live')).toBe(200);
    expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    expect(await redis.command('EXISTS {gatehouse}:test-jobs:wait {gatehouse}:test-jobs:id')).toBe(':0');
    await redis.command('CONFIG SET maxmemory-policy noeviction');
    await until('ready', isReady(app));
    const job = someJobs(1);
    await until('enqueued', async () => (await app.enqueue(job)).status === 200);
    await until('done', async () => (await world.effects()).length === 1);
  });
});
