import { afterAll, beforeAll, describe as describeAlways, expect, it } from '@jest/globals';
import { createFailFastRedis, RedisRefusalStore, RedisRateLimiter } from '@app/rate-limits';
import { hasRedis, LocalRedis } from '../support/local-redis.js';
import { until } from '../support/until.js';

const describe = hasRedis ? describeAlways : describeAlways.skip;

describe('what was used and refused, in Redis', () => {
  let redis: LocalRedis;
  const failures: unknown[] = [];
  const gateway = () =>
    new RedisRefusalStore(createFailFastRedis(redis.url, 500), (error) => {
      failures.push(error);
    });

  beforeAll(async () => {
    redis = await LocalRedis.start();
  });

  afterAll(async () => {
    await redis.stop();
  });

  const answers = async (refusals: RedisRefusalStore) =>
    refusals.listRecent('owner_1').then(
      () => true,
      () => false,
    );

  it('is one list of all gateways', async () => {
    const gateways = [gateway(), gateway()] as const;
    for (const refusals of gateways) await until('Redis answers', () => answers(refusals));
    failures.length = 0;
    for (let n = 0; n < 100; n++)
      gateways[n % 2 === 0 ? 0 : 1].record('owner_1', 'client_1', 'second_limit_exceeded');
    gateways[1].record('owner_1', 'client_2', 'scope_required');
    gateways[1].record('owner_2', 'client_3', 'month_limit_exceeded');
    await gateways[1].close(); // hands over what it noted
    const found = await gateways[0].listRecent('owner_1');
    expect(found.map(({ clientId, code }) => `${clientId} ${code}`).sort()).toEqual([
      'client_1 second_limit_exceeded',
      'client_2 scope_required',
    ]);
    expect(found.map(({ count }) => count).sort((a, b) => a - b)).toEqual([1, 100]);
    const [{ hour } = { hour: '' }] = found;
    const hours = Math.floor(Date.parse(hour) / 3_600_000);
    const left = await redis.command(`TTL {gatehouse:limit:owner_1}:refusals:${hours}`);
    expect(Number(left.slice(1))).toBeGreaterThan(23 * 3_600);
    expect(failures).toEqual([]);
    await gateways[0].close();
  });

  it('says what is used of the month, and fails when nobody knows', async () => {
    const limits = new RedisRateLimiter(createFailFastRedis(redis.url, 500), {
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
    const refusals = gateway();
    await until('Redis answers', () => answers(refusals));
    await redis.stop();
    refusals.record('owner_1', 'client_1', 'second_limit_exceeded');
    await expect(limits.getMonthlyUsage('owner_9')).rejects.toThrow();
    await expect(refusals.listRecent('owner_1')).rejects.toThrow();
    expect(failures.length).toBeGreaterThan(0);
    await refusals.close();
    await limits.close();
  });
});
