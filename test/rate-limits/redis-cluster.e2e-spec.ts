import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe as describeAlways, expect, it } from '@jest/globals';
import { Subscriber, publish } from '@app/pubsub';
import { createFailFastRedis, RedisRateLimiter } from '@app/rate-limits';
import { until } from '../support/until.js';
import { hasRedis, type LocalRedis } from '../support/local-redis.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';

const describe = hasRedis ? describeAlways : describeAlways.skip;
const CHANNEL = 'test-news';
const LIMITS = { perSecond: 10, perMonth: 1_000 };
/** Enough for each of three nodes to have some. */
const HOLDERS = Array.from({ length: 12 }, (_, at) => `holder-${at}`);

describe('limits in a Redis Cluster', () => {
  let cluster: LocalRedisCluster;
  let gateways: RedisRateLimiter[] = [];
  let failures = 0;

  afterEach(async () => {
    await Promise.all(gateways.map((one) => one.close()));
    await cluster.stop();
  });

  const begin = async (args: string[] = []): Promise<void> => {
    cluster = await LocalRedisCluster.start({
      args: ['--appendonly', 'yes', '--appendfsync', 'always', ...args],
    });
    failures = 0;
    const onStoreFailure = () => (failures += 1);
    gateways = [0, 1].map(
      () => new RedisRateLimiter(createFailFastRedis(cluster.url, 200), { onStoreFailure }),
    );
    await until('counted', () => gateways.every(({ instanceCount: count }) => count === 2));
    failures = 0;
  };

  /** That many at once, in turns at both gateways. @returns how many were admitted */
  const take = async (holder: string, count: number, limits = LIMITS): Promise<number> => {
    const all = await Promise.all(
      Array.from({ length: count }, async (_, at) => gateways[at % 2]?.take(holder, limits)),
    );
    return all.filter((one) => one?.second.admitted && one.month.admitted).length;
  };

  const takeOfEach = (holders: string[], count: number) =>
    Promise.all(holders.map((holder) => take(holder, count)));

  const used = async (holder: string): Promise<string | undefined> =>
    (await cluster.command(`HGET {gatehouse:limit:${holder}}:month used`)).split('\r\n')[1];

  const holdersOf = async (node: LocalRedis): Promise<string[]> => {
    const nodes = await Promise.all(HOLDERS.map((holder) => cluster.nodeOf(`{gatehouse:limit:${holder}}`)));
    return HOLDERS.filter((_, at) => nodes[at] === node);
  };

  it('are exact over two gateways, for holders on every node', async () => {
    await begin();
    for (const node of cluster.nodes) expect(await holdersOf(node)).not.toHaveLength(0);
    expect(await takeOfEach(HOLDERS, 40)).toEqual(HOLDERS.map(() => 10));
    expect(await take('monthly', 87, { perSecond: 1_000, perMonth: 37 })).toBe(37);
    expect(await used('monthly')).toBe('37');
    expect(failures).toBe(0);
  });

  it('stay exact for everybody else while one node is silent, and are shared out for its own holders', async () => {
    await begin(['--cluster-node-timeout', '60000']);
    const node = cluster.node(1);
    const theirs = await holdersOf(node);
    const others = HOLDERS.filter((holder) => !theirs.includes(holder));
    await takeOfEach(HOLDERS, 2);
    await sleep(1_100);
    node.pause();
    try {
      expect(await takeOfEach(theirs, 40)).toEqual(theirs.map(() => 10)); // 5 at each
      expect(failures).toBeGreaterThan(0);
      const told = failures;
      const uneven = others.map(async (holder) => {
        const all = await Promise.all(
          Array.from({ length: 20 }, async () => gateways[0]?.take(holder, LIMITS)),
        );
        return all.filter((one) => one?.second.admitted).length;
      });
      // A gateway alone would admit five.
      expect(await Promise.all(uneven)).toEqual(others.map(() => 10));
      expect(failures).toBe(told);
    } finally {
      node.resume();
    }
  });

  it('go on from memory while a node is dead, and book what was admitted when it is back', async () => {
    await begin();
    const holder = HOLDERS[0] ?? '';
    const node = await cluster.nodeOf(`{gatehouse:limit:${holder}}`);
    let total = await take(holder, 4);
    await node.kill();
    await sleep(1_100);
    const shared = await take(holder, 60);
    expect(shared).toBe(10);
    total += shared;
    await node.start();
    await cluster.untilUp();
    await until('booked', async () => {
      total += await take(holder, 2);
      return (await used(holder)) === String(total);
    });
  });
});

describe('news in a Redis Cluster', () => {
  it('reach a listener through any node, also when the one that it listened to is gone', async () => {
    const cluster = await LocalRedisCluster.start();
    let heard = 0;
    const listener = new Subscriber(cluster.url, CHANNEL, () => (heard += 1));
    const hasHeard = (count: number) => () => heard >= count;
    const listened = async () => {
      const answers = await Promise.all(
        cluster.nodes.map((node) => node.command(`PUBSUB NUMSUB ${CHANNEL}`)),
      );
      return cluster.nodes[answers.findIndex((answer) => answer.endsWith(':1'))];
    };
    try {
      await until('listening', hasHeard(1));
      for (const [at, node] of cluster.nodes.entries()) {
        await publish(node.url, CHANNEL);
        await until('heard', hasHeard(2 + at));
      }
      await publish(cluster.url, CHANNEL);
      await until('heard', hasHeard(5));
      const lost = await listened();
      await lost?.kill();
      await until('connected to another', hasHeard(6));
      await publish(cluster.url, CHANNEL);
      await until('heard', hasHeard(7));
      await cluster.kill();
      await expect(publish(cluster.url, CHANNEL)).rejects.toThrow();
    } finally {
      listener.close();
      await cluster.stop();
    }
  });
});
