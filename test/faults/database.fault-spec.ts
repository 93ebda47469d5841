import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LocalPostgres } from '../support/local-postgres.js';
import { LocalRedis } from '../support/local-redis.js';
import { until } from '../support/until.js';
import { acceptedIn, askCalledBack, Load } from './load.js';
import { health, Product } from './product.js';
import { describeWithRedis } from '../support/needs.js';

jest.setTimeout(150_000);

const CALLERS = 8;

describe('checks that are accepted while PostgreSQL', () => {
  let postgres: LocalPostgres;
  let product: Product;

  beforeAll(async () => {
    postgres = await LocalPostgres.start();
    // A server of its own, because the tests stop it.
    process.env.TEST_DATABASE_URL = postgres.url;
    product = await Product.start({ instances: 0, env: { SWEEP_AFTER_MS: '3000' } });
  });

  afterEach(() => product.endInstances());

  afterAll(async () => {
    await product.stop();
    await postgres.stop();
  });

  /** Checks that every accepted check is delivered and no row is incomplete. */
  const expectNothingHalf = async (ids: string[]): Promise<void> => {
    await until('delivered', () => product.areDelivered(ids));
    expect(await product.deliveriesOf(ids)).toHaveLength(ids.length);
    for (const id of ids) expect(product.callbacks.of(id)[0]?.requestId).toBe(id);
    await until('nothing is left undone', async () => {
      const rows = await product.sql('SELECT id FROM token_gating.checks WHERE result IS NULL');
      return rows.length === 0;
    });
    const strays = await product.sql(
      `SELECT c.id FROM token_gating.checks AS c LEFT JOIN token_gating.deliveries AS d ON d.check_id = c.id
       WHERE c.callback_url IS NOT NULL AND d.id IS NULL`,
    );
    expect(strays).toEqual([]);
  };

  it('T14: closes connections, idle and active: requests get 503 or a durable id, and no process exits', async () => {
    const app = await product.addInstance();
    const load = new Load(CALLERS, () => askCalledBack(product));
    for (let round = 0; round < 15; round += 1) {
      await sleep(100);
      await product.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name IN ('token-gating', 'gateway', 'identity')`,
      );
    }
    const outcomes = await load.stop();
    expect(
      new Set(outcomes.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)),
    ).toEqual(new Set());
    expect((await askCalledBack(product)).status).toBe(200);
    expect(app.process.exitCode).toBeNull();
    expect(product.suite.app('identity').process.exitCode).toBeNull();
    await expectNothingHalf(acceptedIn(outcomes));
  });

  it('T15: restarts: requests get 5xx for a while, then none, without an app restart', async () => {
    const app = await product.addInstance();
    const load = new Load(CALLERS, () => askCalledBack(product));
    await sleep(1_000);
    await postgres.restartImmediately();
    const { outcomes } = load;
    const isCalm = (): boolean => {
      const last = outcomes.slice(-200);
      return last.length === 200 && last.every(({ status }) => status === 200);
    };
    const before = outcomes.length;
    await until('no more errors', () => outcomes.length > before + 200 && isCalm(), 30_000);
    await load.stop();
    const failed = outcomes.filter(({ status }) => status !== 200);
    expect(new Set(failed.map(({ status }) => Math.floor(status / 100)))).toEqual(
      new Set(failed.length > 0 ? [5] : []),
    );
    expect(outcomes.slice(-200).every(({ status }) => status === 200)).toBe(true);
    for (const one of [app, product.suite.app('identity'), product.suite.app('gateway')])
      expect(one.process.exitCode).toBeNull();
    await expectNothingHalf(acceptedIn(outcomes));
  });

  it('T16: has two connections for fifty concurrent requests: all are answered, and liveness holds', async () => {
    const app = await product.addInstance({ DATABASE_POOL_SIZE: '2' });
    for (let round = 0; round < 3; round += 1) {
      const asking = Promise.all(Array.from({ length: 50 }, () => askCalledBack(product)));
      expect(await health(app, 'live')).toBe(200);
      const outcomes = await asking;
      expect(
        new Set(outcomes.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)),
      ).toEqual(new Set());
      const ids = acceptedIn(outcomes);
      expect(ids.length).toBeGreaterThan(0);
      const polls = await Promise.all(ids.map((id) => product.poll(id)));
      expect(polls.map(({ status }) => status).filter((status) => ![200, 202, 503].includes(status))).toEqual(
        [],
      );
      await expectNothingHalf(ids);
    }
  });
});

describeWithRedis('with queues on Redis', () => {
  it('T15: a restart of PostgreSQL loses no check and no delivery', async () => {
    const postgres = await LocalPostgres.start();
    const redis = await LocalRedis.start();
    process.env.TEST_DATABASE_URL = postgres.url;
    const product = await Product.start({ env: { REDIS_URL: redis.url, SWEEP_AFTER_MS: '3000' } });
    const load = new Load(CALLERS, () => askCalledBack(product));
    await sleep(1_000);
    await postgres.restartImmediately();
    await sleep(2_000);
    const ids = acceptedIn(await load.stop());
    expect(ids.length).toBeGreaterThan(0);
    await until('delivered', () => product.areDelivered(ids));
    for (const id of ids)
      expect(new Set(product.callbacks.of(id).map(({ deliveryId }) => deliveryId)).size).toBe(1);
    await product.stop();
    await redis.stop();
    await postgres.stop();
  });
});
