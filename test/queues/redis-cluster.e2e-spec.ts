import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe as describeAlways, expect, it } from '@jest/globals';
import { hasRedis, type LocalRedis } from '../support/local-redis.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import { idsOf, QueueWorld, someJobs, type TestJob, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';

const describe = hasRedis ? describeAlways : describeAlways.skip;
const QUEUE_KEY = '{gatehouse}:test-jobs:wait';
/** A worker that waits for jobs gives up on a connection that has been silent for six seconds. */
const LONGER_THAN_A_WAIT_MS = 8_000;

describe('queues on a Redis Cluster', () => {
  let cluster: LocalRedisCluster;
  let world: QueueWorld;
  let app: TestApp;

  const begin = async (args: string[] = []): Promise<void> => {
    cluster = await LocalRedisCluster.start({
      args: ['--appendonly', 'yes', '--appendfsync', 'always', ...args],
    });
    world = await QueueWorld.make('postgres');
    app = await world.app('clustered', { REDIS_URL: cluster.url });
    await until('ready', isReady);
  };

  afterEach(async () => {
    await world.stop();
    await cluster.stop();
  });

  const isReady = async () => (await app.health('ready')) === 200;

  const works = async (): Promise<void> => {
    const jobs: TestJob[] = someJobs(10);
    await until('enqueued', async () => (await app.enqueue(jobs)).status === 200);
    await until('done', async () => {
      const effects = await world.effects();
      return idsOf(jobs).every((id) => effects.includes(id));
    });
  };

  const aNode = async (hasQueue: boolean): Promise<LocalRedis> => {
    const home = await cluster.nodeOf(QUEUE_KEY);
    const node = hasQueue ? home : cluster.nodes.find((one) => one !== home);
    if (!node) throw new Error('there are three');
    return node;
  };

  it.each([
    ['the queues', true],
    ['other keys', false],
  ])(
    'go on when the master with %s was killed and is back, idle or not',
    async (_, hasQueue) => {
      await begin();
      await works();
      const node = await aNode(hasQueue);
      const kept = someJobs(20, { act: 'sleep', ms: 100 });
      expect(await app.enqueue(kept)).toEqual({ status: 200 });
      await node.kill();
      await sleep(LONGER_THAN_A_WAIT_MS);
      expect(await app.health('live')).toBe(200);
      expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
      await node.start();
      await until('ready', isReady, 30_000);
      await until('what was kept', async () => {
        const effects = await world.effects();
        return idsOf(kept).every((id) => effects.includes(id));
      });
      await works();
      app.kill('SIGTERM');
      expect(await app.ended).toBe(0);
    },
    90_000,
  );

  it('go on after workers without work saw all of it die', async () => {
    await begin();
    await cluster.kill();
    await sleep(LONGER_THAN_A_WAIT_MS);
    await cluster.start();
    await until('ready', isReady, 30_000);
    await works();
  }, 90_000);

  it('go on while a master that has none of their keys is silent', async () => {
    await begin(['--cluster-node-timeout', '60000']);
    const node = await aNode(false);
    node.pause();
    try {
      for (let time = 0; time < 3; time += 1) expect(await app.health('ready')).toBe(200);
      await works();
    } finally {
      node.resume();
    }
  });

  it('are not trusted to it while any of its masters would evict keys', async () => {
    await begin();
    const node = await aNode(false);
    await node.command('CONFIG SET maxmemory-policy allkeys-lru');
    await until('not ready', async () => (await app.health('ready')) === 503);
    expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    await node.command('CONFIG SET maxmemory-policy noeviction');
    await until('ready', isReady);
    await works();
  });
});

it.each([
  'redis://127.0.0.1:7000,rediss://127.0.0.1:7001',
  'redis://127.0.0.1:7000,',
  'redis://127.0.0.1:7000,redis://127.0.0.1:7001/1',
  'redis://127.0.0.1:7000/jobs',
])('an app does not start with REDIS_URL=%s, and says so', async (REDIS_URL) => {
  const world = await QueueWorld.make('postgres');
  try {
    await expect(world.app('misled', { REDIS_URL })).rejects.toThrow(/REDIS_URL: must /);
  } finally {
    await world.stop();
  }
});
