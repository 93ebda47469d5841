import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Queue } from 'bullmq';
import { LocalRedis } from '../support/local-redis.js';
import { until } from '../support/until.js';
import { health, metric, Product } from './product.js';
import { describeWithRedis } from '../support/needs.js';

jest.setTimeout(300_000);

const KEPT = 50;
const AT_ONCE = 1_000;

describeWithRedis('a Redis', () => {
  let redis: LocalRedis;
  let product: Product;

  beforeAll(async () => {
    redis = await LocalRedis.start({ args: ['--maxmemory', '64mb', '--maxmemory-policy', 'noeviction'] });
    product = await Product.start({
      env: {
        REDIS_URL: redis.url,
        QUEUE_KEEP_FAILED: String(KEPT),
        SWEEP_AFTER_MS: '2000',
        RPC_TIMEOUT_MS: '9000',
      },
    });
  });

  afterAll(async () => {
    await product.stop();
    await redis.stop();
  });

  it('T08: that is full loses no check: each is stored, active ones are answered, and no process exits', async () => {
    const [app] = product.instances;
    if (!app) throw new Error('no instance');
    product.node.hold();
    const before = await product.calledBack(20);
    const active = () => metric(app, 'queue_jobs', 'queue="check-roles",state="active"');
    await until('all checks are active', async () => (await active()) === before.length);
    expect(await redis.command('SETRANGE filler 80000000 x')).toMatch(/^:/);
    expect(await redis.command('SET one more')).toMatch(/OOM/);
    // Redis is released at once: a read that has timed out is repeated by a job that is delayed, which Redis has no
    // room for.
    product.node.release();
    const during = await product.calledBack(20);
    await until('active checks are answered', async () => {
      const rows = await product.sql(
        'SELECT id FROM token_gating.checks WHERE id = ANY($1) AND result IS NULL',
        [before],
      );
      return rows.length === 0;
    });
    // The gateway's rate limits fall back to memory, and synchronous checks need no queue.
    expect((await product.check()).status).toBe(200);
    expect(await health(app, 'live')).toBe(200);
    await redis.command('DEL filler');
    await product.untilDelivered([...before, ...during]);
    for (const id of [...before, ...during]) {
      expect(await product.result(id)).toEqual(product.granted(id));
      expect(product.callbacks.of(id)).toHaveLength(1);
    }
    expect(app.process.exitCode).toBeNull();
  });

  it('T09: Redis: retains few of 10,000 completed and 10,000 failed jobs', async () => {
    const [app] = product.instances;
    if (!app) throw new Error('no instance');
    const { port } = redis;
    const queue = new Queue('check-roles', {
      connection: { host: '127.0.0.1', port },
      prefix: '{gatehouse}',
    });
    const settled = () => metric(app, 'queue_jobs_processed_total', 'queue="check-roles"');
    const usedMemory = async (): Promise<number> =>
      Number(/used_memory:(\d+)/.exec(await redis.command('INFO memory'))?.[1]);
    /** A producer without retention options. Half of the jobs name deleted checks; half are invalid and fail. */
    const work = async (count: number): Promise<void> => {
      const before = await settled();
      for (let sent = 0; sent < count; sent += AT_ONCE) {
        const jobs = Array.from({ length: AT_ONCE }, (_, at) => {
          const requestId = randomUUID();
          return {
            name: 'check-roles',
            data: { version: at % 2 === 0 ? 1 : 99, requestId },
            opts: { jobId: requestId },
          };
        });
        await queue.addBulk(jobs);
      }
      await until('settled', async () => (await settled()) === before + count, 120_000);
    };
    await work(12_000); // BullMQ's stream of events is bounded, too, and full by now
    const memory = await usedMemory();
    await work(8_000);
    await queue.close();
    expect(await usedMemory()).toBeLessThan(memory * 1.1);
    const keys = Number((await redis.command('DBSIZE')).slice(1));
    expect(keys).toBeGreaterThanOrEqual(KEPT);
    expect(keys).toBeLessThan(KEPT + 40);
    expect(await metric(app, 'queue_jobs', 'queue="check-roles",state="failed"')).toBe(KEPT);
    const id = await product.accepted();
    expect(await product.result(id)).toEqual(product.granted(id));
  });
});
