import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe as describeAlways, expect, it } from '@jest/globals';
import {
  toCalendarMonth,
  createFailFastRedis,
  type TenantLimits,
  type RateLimitResult,
  LUA_MONTH_FUNCTIONS,
  RedisRateLimiter,
} from '@app/rate-limits';
import { until } from '../queues/queue-world.js';
import { hasRedis, LocalRedis } from '../support/local-redis.js';

const describe = hasRedis ? describeAlways : describeAlways.skip;
const LIMITS = { perSecond: 10, perMonth: 1_000 };
const MANY = { perSecond: 1_000, perMonth: 37 };

describe('limits in Redis', () => {
  let server: LocalRedis;
  let all: RedisRateLimiter[];
  let gateways: RedisRateLimiter[];
  let failures: number;

  beforeEach(async () => {
    server = await LocalRedis.start({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    failures = 0;
    all = [gateway(), gateway()];
    gateways = all;
    await until('counted', () => Promise.resolve(gateways.every(({ instanceCount: count }) => count === 2)));
  });

  afterEach(async () => {
    await Promise.all(all.map((one) => one.close()));
    await server.stop();
  });

  const gateway = (): RedisRateLimiter =>
    new RedisRateLimiter(createFailFastRedis(server.url, 200), {
      onStoreFailure: () => {
        failures += 1;
      },
    });

  /** That many at once, in turns at both gateways. */
  const take = (holder: string, count: number, limits: TenantLimits): Promise<RateLimitResult[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const one = gateways[at % gateways.length];
        if (!one) throw new Error('there are two');
        return one.take(holder, limits);
      }),
    );

  const admitted = (all: RateLimitResult[]): number =>
    all.filter(({ second, month }) => second.admitted && month.admitted).length;

  const used = async (holder: string): Promise<string> =>
    (await server.command(`HGET {gatehouse:limit:${holder}}:month used`)).split('\r\n')[1] ?? 'nothing';

  it('admit exactly the second’s limit at two gateways together, and make room when it has passed', async () => {
    expect(admitted(await take('a', 60, LIMITS))).toBe(10);
    expect(admitted(await take('b', 7, LIMITS))).toBe(7);
    const [refused] = await take('a', 1, LIMITS);
    expect(refused?.second).toMatchObject({ admitted: false, limit: 10, remaining: 0 });
    expect(refused?.second.resetMs).toBeGreaterThan(Date.now() - 1_000);
    expect(refused?.month).toMatchObject({ admitted: true, remaining: 990 });
    await sleep(1_010);
    expect(admitted(await take('a', 60, LIMITS))).toBe(10);
    expect(await used('a')).toBe('20');
    expect(failures).toBe(0);
  });

  it('admit exactly the month’s limit, and leave it alone where the second refuses', async () => {
    const all = await take('m', 87, MANY);
    expect(admitted(all)).toBe(37);
    expect(all.every(({ second }) => second.admitted)).toBe(true);
    expect(await used('m')).toBe('37');
    const { endMs } = toCalendarMonth(Date.now());
    expect(all.map(({ month }) => month.resetMs)).toEqual(all.map(() => endMs));
    await take('s', 50, { perSecond: 5, perMonth: 1_000 });
    expect(await used('s')).toBe('5');
  });

  it('keep nothing that is not needed any more', async () => {
    await take('k', 20, LIMITS);
    expect(Number((await server.command('ZCARD {gatehouse:limit:k}:second')).slice(1))).toBe(10);
    expect(Number((await server.command('PTTL {gatehouse:limit:k}:second')).slice(1))).toBeLessThanOrEqual(
      1_000,
    );
    const monthTtl = Number((await server.command('PTTL {gatehouse:limit:k}:month')).slice(1));
    expect(Math.abs(Date.now() + monthTtl - toCalendarMonth(Date.now()).endMs)).toBeLessThan(5_000);
  });

  it('know the calendar', async () => {
    const redis = createFailFastRedis(server.url, 5_000);
    await until('connected', () => Promise.resolve(redis.status === 'ready'));
    const script = `${LUA_MONTH_FUNCTIONS}
      local found = {}
      for day = 0, 80000 do
        local month = month_of(day)
        found[#found + 1] = { month, first_day_of(month) }
      end
      return found`;
    const found = (await redis.eval(script, 0)) as [number, number][];
    redis.disconnect();
    const expected = Array.from({ length: 80_001 }, (_, day) => {
      const date = new Date(day * 86_400_000);
      const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 86_400_000;
      return [date.getUTCFullYear() * 12 + date.getUTCMonth(), first];
    });
    expect(found).toEqual(expected);
  });

  it('are shared out while Redis is away, and booked when it is back', async () => {
    await take('x', 4, LIMITS);
    await server.kill();
    await sleep(1_100);
    expect(admitted(await take('x', 60, LIMITS))).toBe(10); // 5 at each
    expect(failures).toBeGreaterThan(0);
    await sleep(1_100);
    const shares = await take('x', 31, { perSecond: 31, perMonth: 1_000 });
    expect(admitted(shares)).toBe(30); // 15 at each: a rest that cannot be shared is nobody's
    await server.start();
    let total = 4 + 10 + 30;
    await until('booked', async () => {
      total += admitted(await take('x', 2, LIMITS));
      return (await used('x')) === String(total);
    });
  });

  it('go on where they were when Redis comes back without its data', async () => {
    gateways = gateways.slice(0, 1);
    await take('f', 12, MANY);
    await server.command('FLUSHALL');
    expect(admitted(await take('f', 60, MANY))).toBe(25);
    expect(await used('f')).toBe('37');
  });

  it('do not wait for a Redis that says nothing', async () => {
    await take('z', 2, LIMITS);
    server.pause();
    const all = await take('z', 60, LIMITS);
    expect(admitted(all)).toBeLessThanOrEqual(10);
    expect(admitted(all)).toBeGreaterThan(0);
    expect(failures).toBeGreaterThan(0);
    const told = failures;
    await take('z', 60, LIMITS);
    expect(failures).toBe(told); // it is left alone for a moment, so that nothing queues up in front of it
    server.resume();
  });

  it('admit no more of a month than is left, over all gateways, while Redis is away', async () => {
    const month = { perSecond: 1_000, perMonth: 30 };
    await take('q', 18, month);
    await gateways[0]?.take('q', month); // knows of 19
    await gateways[1]?.take('q', month); // knows of 20
    await server.kill();
    expect(admitted(await take('q', 60, month))).toBe(6 + 5);
  });
});
