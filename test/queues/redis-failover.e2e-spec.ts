import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { freePort } from '../../scripts/processes/ports.mjs';
import { LocalRedis } from '../support/local-redis.js';
import { describeWithRedis } from '../support/needs.js';
import { type MovableAddress, movableAddress } from '../support/movable-address.js';
import { QueueWorld, someJobs, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';

const RESUME_MS = 30_000;

describeWithRedis('RedisBackend', () => {
  let primary: LocalRedis;
  let next: LocalRedis;
  let address: MovableAddress;
  let world: QueueWorld;
  let app: TestApp;

  beforeEach(async () => {
    const args = ['--appendonly', 'yes', '--repl-diskless-sync-delay', '0'];
    primary = await LocalRedis.start({ args });
    next = await LocalRedis.start({ args });
    address = await movableAddress(await freePort(), primary);
    world = await QueueWorld.make('postgres');
    app = await world.app('failover', { REDIS_URL: address.url('redis'), CONCURRENCY: '2' });
    await until('ready', isReady);
  });

  afterEach(async () => {
    await world.stop();
    await address.stop();
    await primary.stop();
    await next.stop();
  });

  const isReady = async () => (await app.health('ready')) === 200;
  const isDone = (jobs: { id: string }[]) => async () => {
    const effects = new Set(await world.effects());
    return jobs.every(({ id }) => effects.has(id));
  };
  const follow = async (replica: LocalRedis, { port }: LocalRedis) => {
    await replica.command(`REPLICAOF 127.0.0.1 ${port}`);
    await until('replicated', async () =>
      (await replica.command('INFO replication')).includes('master_link_status:up'),
    );
  };

  it('T240: RedisBackend: queues leave an old primary that became a replica and keeps its connections, and do every acknowledged job', async () => {
    await follow(next, primary);
    const before = someJobs(40, { act: 'sleep', ms: 100 });
    expect(await app.enqueue(before)).toEqual({ status: 200 });
    await until('at work', async () => (await world.effects()).length > 0);
    await primary.untilWrittenTo(next);
    await next.command('REPLICAOF NO ONE');
    await follow(primary, next);
    await until('not ready', async () => !(await isReady()));
    expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    // It answers LOADING while it copies the new primary's data.
    await until('refused as a replica', async () =>
      /redis_write_refusals_total\{code="READONLY",[^}]*\} [1-9]/.test(await app.metrics()),
    );
    expect(await app.metrics()).toMatch(/queue_backend_usable\{[^}]*\} 0/);
    address.moveTo(next);
    await until('ready', isReady, RESUME_MS);
    const after = someJobs(3);
    await until('enqueued', async () => (await app.enqueue(after)).status === 200, RESUME_MS);
    await until('done', isDone([...before, ...after]), RESUME_MS);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('T241: RedisBackend: queues wait for a Redis that refuses writes for lack of replicas, are not ready, and go on by themselves', async () => {
    const before = someJobs(20, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(before)).toEqual({ status: 200 });
    await primary.command('CONFIG SET min-replicas-to-write 1');
    await until('not ready', async () => !(await isReady()));
    expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    expect(await app.health('live')).toBe(200);
    expect(await app.metrics()).toMatch(/redis_write_refusals_total\{code="NOREPLICAS",[^}]*\} [1-9]/);
    const lines = app.logLines.length;
    await until('asked again', async () =>
      /redis_write_refusals_total\{code="NOREPLICAS",[^}]*\} (?:[2-9]\d|\d{3})/.test(await app.metrics()),
    );
    expect(app.logLines.length - lines).toBeLessThan(20);
    await primary.command('CONFIG SET min-replicas-to-write 0');
    await until('ready', isReady, RESUME_MS);
    await until('done', isDone(before), RESUME_MS);
  });

  it('T241: RedisBackend: a worker of a Redis that refuses writes ends with 0 on SIGTERM', async () => {
    await primary.command('CONFIG SET min-replicas-to-write 1');
    await until('not ready', async () => !(await isReady()));
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });
});
