import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { RequestLimits } from '@app/dto';
import { createFailFastRedis, type RateLimitResult, RedisRateLimiter, toCalendarMonth } from '@app/limits';
import { freePort } from '../../scripts/processes/ports.mjs';
import { LocalRedis } from '../support/local-redis.js';
import { movableAddress } from '../support/movable-address.js';
import { measureBurst } from '../support/measure-burst.js';
import { until } from '../support/until.js';
import { describeWithRedis } from '../support/needs.js';

const LIMITS = { perSecond: 10, perMonth: 1_000 };
const MONTHLY = { perSecond: 1_000, perMonth: 37 };
/** No command times out on a busy machine. */
const LONG_TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 200;

describeWithRedis('RedisRateLimiter', () => {
  let server: LocalRedis;
  let gateways: RedisRateLimiter[];
  let failures: number;

  beforeEach(async () => {
    server = await LocalRedis.start({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    await startGateways();
  });

  afterEach(async () => {
    await stopGateways();
    await server.stop();
  });

  const startGateways = async (timeoutMs = LONG_TIMEOUT_MS, now?: () => number): Promise<void> => {
    failures = 0;
    const onStoreFailure = () => (failures += 1);
    const create = () =>
      new RedisRateLimiter(createFailFastRedis(server.url, timeoutMs), { onStoreFailure }, now);
    gateways = [create(), create()];
    await until('both are counted', () => gateways.every(({ instanceCount }) => instanceCount === 2));
  };

  const stopGateways = () => Promise.all(gateways.map((gateway) => gateway.close()));

  const restartGateways = async (timeoutMs?: number, now?: () => number): Promise<void> => {
    await stopGateways();
    await startGateways(timeoutMs, now);
  };

  /** Sends `count` requests at once, in turns to each gateway. */
  const take = (
    tenant: string,
    count: number,
    limits: RequestLimits,
    at = gateways,
  ): Promise<RateLimitResult[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const gateway = at[index % at.length];
        if (!gateway) throw new Error('There is no gateway');
        return gateway.take(tenant, limits);
      }),
    );

  const countAdmitted = (results: RateLimitResult[]): number =>
    results.filter(({ second, month }) => second.admitted && month.admitted).length;

  /** Sends a burst and expects `perSecond` admitted for each second that it took. @returns how many were admitted */
  const expectAdmitted = async (perSecond: number, burst: () => Promise<RateLimitResult[]>) => {
    const { result, windows } = await measureBurst(burst);
    const admitted = countAdmitted(result);
    expect(admitted).toBeGreaterThanOrEqual(perSecond);
    expect(admitted).toBeLessThanOrEqual(perSecond * windows);
    return admitted;
  };

  const readUsed = async (tenant: string): Promise<string> =>
    (await server.command(`HGET {gatehouse:limit:${tenant}}:month used`)).split('\r\n')[1] ?? 'nothing';

  it('RedisRateLimiter: admits exactly the limit per second at two gateways, and again after a second', async () => {
    const first = await expectAdmitted(10, () => take('a', 60, LIMITS));
    expect(countAdmitted(await take('b', 7, LIMITS))).toBe(7);
    await sleep(1_010);
    const { result, windows } = await measureBurst(() => take('a', 60, LIMITS));
    const second = countAdmitted(result);
    expect(second).toBeGreaterThanOrEqual(10);
    expect(second).toBeLessThanOrEqual(10 * windows);
    const refused = result.find((one) => !one.second.admitted);
    expect(refused?.second).toMatchObject({ admitted: false, limit: 10, remaining: 0 });
    expect(refused?.month).toMatchObject({ admitted: true });
    for (const { second: window } of result) expect(window.resetMs).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await readUsed('a')).toBe(String(first + second));
    expect(failures).toBe(0);
  });

  it('RedisRateLimiter: admits exactly the limit per month, and does not count what the second refuses', async () => {
    const results = await take('m', 87, MONTHLY);
    expect(countAdmitted(results)).toBe(37);
    expect(results.every(({ second }) => second.admitted)).toBe(true);
    expect(await readUsed('m')).toBe('37');
    const { endMs } = toCalendarMonth(Date.now());
    expect(results.map(({ month }) => month.resetMs)).toEqual(results.map(() => endMs));
    const admitted = await expectAdmitted(5, () => take('s', 50, { perSecond: 5, perMonth: 1_000 }));
    expect(await readUsed('s')).toBe(String(admitted));
  });

  it('RedisRateLimiter: says when a second has room again by the clock of the gateway, not of Redis', async () => {
    const now = () => Date.now() - 60_000;
    await restartGateways(LONG_TIMEOUT_MS, now);
    const startMs = now();
    // Ten requests are so many that some are counted within one second, even where Redis stands still between two of
    // them.
    const results = await take('c', 10, { perSecond: 1, perMonth: 1_000 });
    expect(results.map(({ second }) => second.admitted)).toContain(false);
    for (const { second } of results) {
      expect(second.resetMs).toBeGreaterThan(startMs);
      expect(second.resetMs).toBeLessThanOrEqual(now() + 1_000);
    }
  });

  it('RedisRateLimiter: lets every key expire', async () => {
    const { result: size, windows } = await measureBurst(async () => {
      await take('k', 20, LIMITS);
      return Number((await server.command('ZCARD {gatehouse:limit:k}:second')).slice(1));
    });
    expect(size).toBeLessThanOrEqual(10);
    expect(size).toBeGreaterThanOrEqual(windows === 1 ? 10 : 0);
    const ttl = async (key: string) =>
      Number((await server.command(`PTTL {gatehouse:limit:k}:${key}`)).slice(1));
    expect(await ttl('second')).toBeLessThanOrEqual(1_000);
    const monthTtl = await ttl('month');
    expect(Math.abs(Date.now() + monthTtl - toCalendarMonth(Date.now()).endMs)).toBeLessThan(5_000);
  });

  it('RedisRateLimiter: starts a month at 0, and counts in it for a gateway whose clock is behind', async () => {
    const { endMs } = toCalendarMonth(Date.now());
    let clockMs = endMs - 1;
    await restartGateways(LONG_TIMEOUT_MS, () => clockMs);
    expect(countAdmitted(await take('t', 60, MONTHLY))).toBe(37);
    clockMs = endMs;
    const next = await take('t', 30, MONTHLY);
    expect(countAdmitted(next)).toBe(30);
    expect(next[0]?.month.resetMs).toBe(toCalendarMonth(endMs).endMs);
    expect(await gateways[0]?.getMonthlyUsage('t')).toBe(30);
    clockMs = endMs - 1;
    expect(countAdmitted(await take('t', 20, MONTHLY))).toBe(7);
    clockMs = endMs;
    expect(await gateways[0]?.getMonthlyUsage('t')).toBe(37);
    expect(countAdmitted(await take('t', 20, MONTHLY))).toBe(0);
  });

  it('RedisRateLimiter: shares the limit out while Redis is unavailable, and has the requests counted afterwards', async () => {
    let total = countAdmitted(await take('x', 4, LIMITS));
    expect(total).toBe(4);
    await server.kill();
    await sleep(1_100);
    total += await expectAdmitted(10, () => take('x', 60, LIMITS)); // 5 at each gateway
    expect(failures).toBeGreaterThan(0);
    await sleep(1_100);
    // 15 at each gateway: the remainder of 31 is not shared.
    total += await expectAdmitted(30, () => take('x', 31, { perSecond: 31, perMonth: 1_000 }));
    await server.start();
    await until('all requests are counted', async () => {
      total += countAdmitted(await take('x', 2, LIMITS));
      return (await readUsed('x')) === String(total);
    });
  });

  it('T240: RedisRateLimiter: two limiters share the limit again after a failover that cuts no connection', async () => {
    const next = await LocalRedis.start();
    const address = await movableAddress(await freePort(), server);
    const refusals: string[] = [];
    const create = () =>
      new RedisRateLimiter(
        createFailFastRedis(address.url('redis'), LONG_TIMEOUT_MS, {
          onRefusal: (code) => refusals.push(code),
        }),
        { onStoreFailure: () => (failures += 1) },
      );
    const moved = [create(), create()];
    try {
      await until('both are counted', () => moved.every(({ instanceCount }) => instanceCount === 4));
      await server.command(`REPLICAOF 127.0.0.1 ${next.port}`);
      await until('refused', async () => {
        await take('f', 2, LIMITS, moved);
        return refusals.includes('READONLY');
      });
      address.moveTo(next);
      await until(
        'both are counted there',
        async () => (await next.command('ZCARD {gatehouse}:gateways')) === ':2',
      );
      failures = 0;
      await expectAdmitted(10, () => take('g', 60, LIMITS, moved));
      expect(failures).toBe(0);
    } finally {
      await Promise.all(moved.map((limiter) => limiter.close()));
      await address.stop();
      await next.stop();
    }
  });

  it('RedisRateLimiter: continues from the usage that it knows when Redis has lost its data', async () => {
    const only = gateways.slice(0, 1);
    await take('f', 12, MONTHLY, only);
    await server.command('FLUSHALL');
    expect(countAdmitted(await take('f', 60, MONTHLY, only))).toBe(25);
    expect(await readUsed('f')).toBe('37');
  });

  it('RedisRateLimiter: does not wait for a Redis that does not answer', async () => {
    await restartGateways(SHORT_TIMEOUT_MS);
    await take('z', 2, LIMITS);
    server.pause();
    try {
      const { result, windows } = await measureBurst(() => take('z', 60, LIMITS));
      expect(countAdmitted(result)).toBeLessThanOrEqual(10 * windows);
      expect(countAdmitted(result)).toBeGreaterThan(0);
      expect(failures).toBeGreaterThan(0);
      const failuresBefore = failures;
      await take('z', 60, LIMITS);
      expect(failures).toBe(failuresBefore); // no command is sent during the cooldown
    } finally {
      server.resume();
    }
  });

  it('RedisRateLimiter: admits no more than is left of the month at all gateways while Redis is unavailable', async () => {
    const limits = { perSecond: 1_000, perMonth: 30 };
    await take('q', 18, limits);
    await gateways[0]?.take('q', limits); // knows of 19
    await gateways[1]?.take('q', limits); // knows of 20
    await server.kill();
    expect(countAdmitted(await take('q', 60, limits))).toBe(6 + 5);
  });
});
