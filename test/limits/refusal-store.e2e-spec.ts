import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createFailFastRedis, RedisRefusalStore, RedisRateLimiter } from '@app/limits';
import { LocalRedis } from '../support/local-redis.js';
import { until } from '../support/until.js';
import { describeWithRedis } from '../support/needs.js';

/** No command takes this long, not even on a busy machine. */
const TIMEOUT_MS = 10_000;

describeWithRedis('RedisRefusalStore', () => {
  let redis: LocalRedis;
  const failures: unknown[] = [];
  const createStore = () =>
    new RedisRefusalStore(createFailFastRedis(redis.url, TIMEOUT_MS), (error) => {
      failures.push(error);
    });

  beforeAll(async () => {
    redis = await LocalRedis.start();
  });

  afterAll(async () => {
    await redis.stop();
  });

  const isConnected = async (store: RedisRefusalStore) =>
    store.listRecent('owner_1').then(
      () => true,
      () => false,
    );

  it('RedisRefusalStore: merges the counts of all gateways', async () => {
    const stores = [createStore(), createStore()] as const;
    for (const store of stores) await until('Redis answers', () => isConnected(store));
    failures.length = 0;
    for (let n = 0; n < 100; n++)
      stores[n % 2 === 0 ? 0 : 1].record('owner_1', 'client_1', 'second_limit_exceeded');
    stores[1].record('owner_1', 'client_2', 'scope_required');
    stores[1].record('owner_2', 'client_3', 'month_limit_exceeded');
    await stores[1].close(); // writes its pending counts
    const counts = await stores[0].listRecent('owner_1');
    expect(counts.map(({ clientId, code }) => `${clientId} ${code}`).sort()).toEqual([
      'client_1 second_limit_exceeded',
      'client_2 scope_required',
    ]);
    expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual([1, 100]);
    const [{ hour } = { hour: '' }] = counts;
    const hours = Math.floor(Date.parse(hour) / 3_600_000);
    const ttl = await redis.command(`TTL {gatehouse:limit:owner_1}:refusals:${hours}`);
    expect(Number(ttl.slice(1))).toBeGreaterThan(23 * 3_600);
    expect(failures).toEqual([]);
    await stores[0].close();
  });

  it('RedisRefusalStore: rejects while Redis is unavailable, as the monthly usage does', async () => {
    const limits = new RedisRateLimiter(createFailFastRedis(redis.url, TIMEOUT_MS), {
      onStoreFailure: () => undefined,
    });
    await until('Redis answers', () =>
      limits.getMonthlyUsage('owner_9').then(
        (used) => used === 0,
        () => false,
      ),
    );
    for (let n = 0; n < 7; n++) await limits.takeMonthly('owner_9', 1_000);
    expect(await limits.getMonthlyUsage('owner_9')).toBe(7);
    const refusals = createStore();
    await until('Redis answers', () => isConnected(refusals));
    await redis.stop();
    refusals.record('owner_1', 'client_1', 'second_limit_exceeded');
    await expect(limits.getMonthlyUsage('owner_9')).rejects.toThrow();
    await expect(refusals.listRecent('owner_1')).rejects.toThrow();
    expect(failures.length).toBeGreaterThan(0);
    await refusals.close();
    await limits.close();
  });
});
