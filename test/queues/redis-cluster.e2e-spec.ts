import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { fetchMetric } from '../outbox/outbox-world.js';
import { type LocalRedis } from '../support/local-redis.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import { idsOf, QueueWorld, someJobs, type TestJob, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';
import { describeWithRedis } from '../support/needs.js';

const QUEUE_KEY = '{gatehouse}:test-jobs:wait';
/** An idle worker drops a connection without a reply for six seconds. */
const LONGER_THAN_A_WAIT_MS = 8_000;

describeWithRedis('queues on a Redis Cluster', () => {
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

  const countRefusals = () => fetchMetric(app, 'redis_write_refusals_total', 'code="NOREPLICAS"');

  const expectWorking = async (): Promise<void> => {
    const jobs: TestJob[] = someJobs(10);
    await until('enqueued', async () => (await app.enqueue(jobs)).status === 200);
    await until('done', async () => {
      const effects = await world.effects();
      return idsOf(jobs).every((id) => effects.includes(id));
    });
  };

  const findNode = async (hasQueue: boolean): Promise<LocalRedis> => {
    const queueNode = await cluster.nodeOf(QUEUE_KEY);
    const node = hasQueue ? queueNode : cluster.nodes.find((one) => one !== queueNode);
    if (!node) throw new Error('The cluster has one node only');
    return node;
  };

  it.each([
    ['the queues', true],
    ['other keys', false],
  ])(
    'queues on a Redis Cluster: continue when the master with %s was killed and is back, idle or not',
    async (_, hasQueue) => {
      await begin();
      await expectWorking();
      const node = await findNode(hasQueue);
      const acknowledged = someJobs(20, { act: 'sleep', ms: 100 });
      expect(await app.enqueue(acknowledged)).toEqual({ status: 200 });
      await node.kill();
      await sleep(LONGER_THAN_A_WAIT_MS);
      expect(await app.health('live')).toBe(200);
      expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
      await node.start();
      await until('ready', isReady, 30_000);
      await until('acknowledged jobs are done', async () => {
        const effects = await world.effects();
        return idsOf(acknowledged).every((id) => effects.includes(id));
      });
      await expectWorking();
      app.kill('SIGTERM');
      expect(await app.ended).toBe(0);
    },
    90_000,
  );

  it('queues on a Redis Cluster: continue after all nodes were killed while the workers were idle', async () => {
    await begin();
    await cluster.kill();
    await sleep(LONGER_THAN_A_WAIT_MS);
    await cluster.start();
    await until('ready', isReady, 30_000);
    await expectWorking();
  });

  it('queues on a Redis Cluster: continue while a master without their keys does not answer', async () => {
    await begin(['--cluster-node-timeout', '60000']);
    const node = await findNode(false);
    node.pause();
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) expect(await app.health('ready')).toBe(200);
      await expectWorking();
    } finally {
      node.resume();
    }
  });

  it('T241: a cluster that refuses writes for lack of replicas: not ready, counted, asked again in turn, and left by itself', async () => {
    await begin();
    const acknowledged = someJobs(20, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(acknowledged)).toEqual({ status: 200 });
    const setReplicas = (count: number) =>
      Promise.all(cluster.nodes.map((node) => node.command(`CONFIG SET min-replicas-to-write ${count}`)));
    await setReplicas(1);
    await until('not ready', async () => !(await isReady()));
    const [lines, refusals] = [app.logLines.length, await countRefusals()];
    await sleep(3_000);
    expect(app.logLines.length - lines).toBeLessThan(20);
    const more = (await countRefusals()) - refusals;
    expect(more).toBeGreaterThan(0);
    // Workers that ask without a pause are refused thousands of times a second.
    expect(more).toBeLessThan(600);
    await setReplicas(0);
    await until('ready', isReady, 30_000);
    await until('acknowledged jobs are done', async () => {
      const effects = await world.effects();
      return idsOf(acknowledged).every((id) => effects.includes(id));
    });
    await expectWorking();
  });

  it('REDIS_URL: one node of a cluster is refused with a message that says so', async () => {
    await begin();
    const { url } = await findNode(false);
    const lone = await world.app('lone', { REDIS_URL: url });
    await until('said', () =>
      Promise.resolve(
        lone.logLines.some((line) => line.includes('one node of a Redis Cluster, of which REDIS_URL')),
      ),
    );
    expect(await lone.health('ready')).toBe(503);
  });

  it('queues on a Redis Cluster: are unavailable while any master would evict keys', async () => {
    await begin();
    const node = await findNode(false);
    await node.command('CONFIG SET maxmemory-policy allkeys-lru');
    await until('not ready', async () => (await app.health('ready')) === 503);
    expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    await node.command('CONFIG SET maxmemory-policy noeviction');
    await until('ready', isReady);
    await expectWorking();
  });
});

it.each([
  'redis://127.0.0.1:7000,rediss://127.0.0.1:7001',
  'redis://127.0.0.1:7000,',
  'redis://127.0.0.1:7000,redis://127.0.0.1:7001/1',
  'redis://127.0.0.1:7000/jobs',
])('REDIS_URL: an app with REDIS_URL=%s fails to start with a message', async (REDIS_URL) => {
  const world = await QueueWorld.make('postgres');
  try {
    await expect(world.app('misconfigured', { REDIS_URL })).rejects.toThrow(/REDIS_URL: must /);
  } finally {
    await world.stop();
  }
});
