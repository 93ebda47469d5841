import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { createFailFastRedis, RedisRateLimiter } from '@app/limits';
import { type LocalRedis } from '../support/local-redis.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import { measureBurst } from '../support/measure-burst.js';
import { until } from '../support/until.js';
import { describeWithRedis } from '../support/needs.js';

const LIMITS = { perSecond: 10, perMonth: 1_000 };
/** Enough for each of three nodes to hold the keys of some. */
const TENANTS = Array.from({ length: 12 }, (_, index) => `tenant-${index}`);
/** No command to a healthy node takes this long, not even on a busy machine. */
const LONG_TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 200;
/** A cluster is not down because a node stands still. */
const PATIENT = ['--cluster-node-timeout', '60000'];

describeWithRedis('RedisRateLimiter on a Redis Cluster', () => {
  let cluster: LocalRedisCluster;
  let gateways: RedisRateLimiter[] = [];
  let failures = 0;

  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await cluster.stop();
  });

  const start = async (args: string[] = []): Promise<void> => {
    cluster = await LocalRedisCluster.start({
      args: ['--appendonly', 'yes', '--appendfsync', 'always', ...args],
    });
    gateways = [];
    await addGateways(LONG_TIMEOUT_MS, () => (failures += 1));
    failures = 0;
  };

  /** Starts two gateways. */
  const addGateways = async (timeoutMs: number, onStoreFailure: () => void): Promise<RedisRateLimiter[]> => {
    const added = [0, 1].map(
      () => new RedisRateLimiter(createFailFastRedis(cluster.url, timeoutMs), { onStoreFailure }),
    );
    gateways = [...gateways, ...added];
    const count = gateways.length;
    await until('all are counted', () => gateways.every(({ instanceCount }) => instanceCount === count));
    return added;
  };

  /** Sends `count` requests at once, in turns to each gateway. @returns how many were admitted */
  const take = async (tenant: string, count: number, limits = LIMITS, at = gateways): Promise<number> => {
    const results = await Promise.all(
      Array.from({ length: count }, async (_, index) => at[index % at.length]?.take(tenant, limits)),
    );
    return results.filter((result) => result?.second.admitted && result.month.admitted).length;
  };

  const takeOfEach = (tenants: string[], count: number, at = gateways) =>
    Promise.all(tenants.map((tenant) => take(tenant, count, LIMITS, at)));

  /** Sends a burst for each tenant and expects `perSecond` admitted for each second that it took. */
  const expectAdmitted = async (perSecond: number, burst: () => Promise<number[]>): Promise<number[]> => {
    const { result, windows } = await measureBurst(burst);
    for (const admitted of result) {
      expect(admitted).toBeGreaterThanOrEqual(perSecond);
      expect(admitted).toBeLessThanOrEqual(perSecond * windows);
    }
    return result;
  };

  const readUsed = async (tenant: string): Promise<string | undefined> =>
    (await cluster.command(`HGET {gatehouse:limit:${tenant}}:month used`)).split('\r\n')[1];

  const listTenantsOf = async (node: LocalRedis): Promise<string[]> => {
    const nodes = await Promise.all(TENANTS.map((tenant) => cluster.nodeOf(`{gatehouse:limit:${tenant}}`)));
    return TENANTS.filter((_, index) => nodes[index] === node);
  };

  it('RedisRateLimiter on a Redis Cluster: is exact over two gateways, for tenants on every node', async () => {
    await start(PATIENT);
    for (const node of cluster.nodes) expect(await listTenantsOf(node)).not.toHaveLength(0);
    const admitted = await expectAdmitted(10, () => takeOfEach(TENANTS, 40));
    expect(await Promise.all(TENANTS.map(readUsed))).toEqual(admitted.map(String));
    expect(await take('monthly', 87, { perSecond: 1_000, perMonth: 37 })).toBe(37);
    expect(await readUsed('monthly')).toBe('37');
    expect(failures).toBe(0);
  });

  it('RedisRateLimiter on a Redis Cluster: stays exact for other tenants while one node does not answer, and shares the limit out for its own', async () => {
    await start(PATIENT);
    const patient = gateways;
    let timeouts = 0;
    const impatient = await addGateways(SHORT_TIMEOUT_MS, () => (timeouts += 1));
    const node = cluster.node(1);
    const affected = await listTenantsOf(node);
    const others = TENANTS.filter((tenant) => !affected.includes(tenant));
    await takeOfEach(others, 2, patient);
    await sleep(1_100);
    node.pause();
    try {
      // A quarter of the limit, rounded down, at each of two gateways.
      await expectAdmitted(2 + 2, () => takeOfEach(affected, 40, impatient));
      expect(timeouts).toBeGreaterThan(0);
      failures = 0;
      // A gateway that counts in memory would admit two.
      await expectAdmitted(10, () => takeOfEach(others, 20, patient.slice(0, 1)));
      expect(failures).toBe(0);
    } finally {
      node.resume();
    }
  });

  it('RedisRateLimiter on a Redis Cluster: counts in memory while a node is down, and has the requests counted afterwards', async () => {
    await start();
    const tenant = TENANTS[0] ?? '';
    const node = await cluster.nodeOf(`{gatehouse:limit:${tenant}}`);
    let total = await take(tenant, 4);
    await node.kill();
    await sleep(1_100);
    const [shared = 0] = await expectAdmitted(10, () => takeOfEach([tenant], 60));
    total += shared;
    await node.start();
    await cluster.untilUp();
    await until('all requests are counted', async () => {
      total += await take(tenant, 2);
      return (await readUsed(tenant)) === String(total);
    });
  });
});
