import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LocalPostgres } from '../support/local-postgres.js';
import { LocalRedis } from '../support/local-redis.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { RowLock } from '../token-gating/row-lock.js';
import { acceptedIn, askCalledBack, Load } from './load.js';
import { health, Product } from './product.js';
import { describeWithRedis } from '../support/needs.js';

const CALLERS = 8;
/** Requests without an error after which an outage has ended. */
const CALM_REQUESTS = 80;
/** The bounds of docs/faults.md. */
const MAX_ERROR_BURST_MS = 5_000;
const ROUTE_TIMEOUT_MS = 15_000;
/** The pause of each caller between requests: it still sends dozens of requests a second. */
const PAUSE_MS = 150;

/** The pooled connections of the apps. */
const CONNECTIONS = `
  SELECT pid, application_name AS name, state, xact_start IS NOT NULL AS "isInTransaction", query
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name IN ('token-gating', 'gateway', 'identity')`;

interface EndedConnection {
  pid: number;
  name: string;
  state: string | null;
  isInTransaction: boolean;
  query: string;
}

let postgres: LocalPostgres;

beforeAll(async () => {
  postgres = await LocalPostgres.start();
  // A server of its own, because the tests stop it.
  process.env.TEST_DATABASE_URL = postgres.url;
});

afterAll(() => postgres.stop());

describe('checks that are accepted while PostgreSQL', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start({ instances: 0, env: { SWEEP_AFTER_MS: '3000' } });
  });

  afterEach(() => {
    product.reset();
  });

  afterAll(() => product.stop());

  /** Checks that every accepted check is delivered and no row is incomplete. */
  const expectNothingHalf = async (ids: string[]): Promise<void> => {
    await product.untilDelivered(ids);
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

  const expectAllRun = (...apps: RunningApp[]): void => {
    for (const app of [...apps, product.suite.app('identity'), product.suite.app('gateway')])
      expect(app.process.exitCode).toBeNull();
  };

  /** Ends every connection of the apps. @returns what each of them was doing */
  const endConnections = async (): Promise<EndedConnection[]> => {
    const connections = await product.sql<EndedConnection>(CONNECTIONS);
    const pids = connections.map(({ pid }) => pid);
    await product.sql('SELECT pg_terminate_backend(pid, 5000) FROM unnest($1::int[]) AS pid', [pids]);
    expect(await product.sql('SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)', [pids])).toEqual([]);
    return connections;
  };

  /** Ends every connection of the apps while one of them writes to the table, which is held until the work has ended. */
  const endDuringInsert = async <T>(table: string, work: () => Promise<T>): Promise<T> => {
    const lock = await RowLock.acquire(product.suite.databaseUrl, `LOCK TABLE ${table} IN SHARE MODE`);
    try {
      const working = work();
      const isInserting = `${CONNECTIONS} AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO ${table}%'`;
      await until('the statement waits', async () => (await product.sql(isInserting)).length > 0, 20_000);
      const ended = await endConnections();
      expect(ended).toContainEqual(expect.objectContaining({ state: 'idle', isInTransaction: false }));
      const query = expect.stringContaining(`INSERT INTO ${table}`);
      expect(ended).toContainEqual(expect.objectContaining({ isInTransaction: true, query }));
      return await working;
    } finally {
      await lock.release();
    }
  };

  it('T14: ends its connections, idle and in a transaction: that request gets 503, the next one 200', async () => {
    const app = await product.someInstance();
    const kept = await askCalledBack(product);
    const before = await product.sql('SELECT id FROM token_gating.checks');
    const lost = await endDuringInsert('token_gating.checks', () => askCalledBack(product));
    expect(lost.status).toBe(503);
    expect((await product.sql('SELECT id FROM token_gating.checks')).length).toBe(before.length);
    // The result of a check and its delivery are written together.
    const finished = await endDuringInsert('token_gating.deliveries', () => askCalledBack(product));
    expect([kept.status, finished.status]).toEqual([200, 200]);
    expect((await askCalledBack(product)).status).toBe(200);
    await expectNothingHalf(acceptedIn([kept, finished]));
    expectAllRun(app);
  });

  it('T14: ends connections again and again: requests get 503 or a durable id, and no process exits', async () => {
    const app = await product.someInstance();
    const load = new Load(CALLERS, () => askCalledBack(product), PAUSE_MS);
    const ended: EndedConnection[] = [];
    for (let round = 0; round < 10; round += 1) {
      await sleep(100);
      ended.push(...(await endConnections()));
    }
    const outcomes = await load.stop();
    expect(ended.map(({ name }) => name)).toEqual(expect.arrayContaining(['identity', 'token-gating']));
    expect(
      new Set(outcomes.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)),
    ).toEqual(new Set());
    expect((await askCalledBack(product)).status).toBe(200);
    expectAllRun(app);
    await expectNothingHalf(acceptedIn(outcomes));
  });

  it('T15: restarts: errors end within five seconds, without an app restart', async () => {
    const app = await product.someInstance();
    const load = new Load(CALLERS, () => askCalledBack(product), PAUSE_MS);
    await sleep(1_000);
    await postgres.restartImmediately();
    const backAt = Date.now();
    const { outcomes } = load;
    const lastError = () => outcomes.findLastIndex(({ status }) => status !== 200);
    await until('no more errors', () => outcomes.length > lastError() + CALM_REQUESTS);
    await load.stop();
    const failed = outcomes.filter(({ status }) => status !== 200);
    expect(failed.filter(({ status }) => status < 500)).toEqual([]);
    // How long the server itself takes to restart is not the apps' doing.
    expect(failed.filter(({ at }) => at - backAt > MAX_ERROR_BURST_MS)).toEqual([]);
    expectAllRun(app);
    await expectNothingHalf(acceptedIn(outcomes));
  });

  it('T16: has two connections for fifty concurrent requests: all are answered in time, and liveness holds', async () => {
    await product.endInstances();
    const app = await product.addInstance({ DATABASE_POOL_SIZE: '2' });
    const deadlocks = () =>
      product.sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    const before = await deadlocks();
    for (let repeated = 0; repeated < 2; repeated += 1) {
      const round = { isOver: false };
      const asking = Promise.all(Array.from({ length: 50 }, () => askCalledBack(product))).finally(
        () => (round.isOver = true),
      );
      while (!round.isOver) {
        expect(await health(app, 'live')).toBe(200);
        await sleep(20);
      }
      const outcomes = await asking;
      expect(
        new Set(outcomes.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)),
      ).toEqual(new Set());
      expect(Math.max(...outcomes.map(({ sentAt, at }) => at - sentAt))).toBeLessThan(ROUTE_TIMEOUT_MS);
      const ids = acceptedIn(outcomes);
      expect(ids.length).toBeGreaterThan(0);
      const polls = await Promise.all(ids.map((id) => product.poll(id)));
      expect(polls.map(({ status }) => status).filter((status) => ![200, 202, 503].includes(status))).toEqual(
        [],
      );
      await expectNothingHalf(ids);
    }
    expect(await deadlocks()).toEqual(before);
  });
});

describeWithRedis('with queues on Redis', () => {
  it('T15: suite with queues on Redis: a restart of PostgreSQL loses no check and no delivery', async () => {
    const redis = await LocalRedis.start();
    const product = await Product.start({ env: { REDIS_URL: redis.url, SWEEP_AFTER_MS: '3000' } });
    const load = new Load(CALLERS, () => askCalledBack(product), PAUSE_MS);
    await sleep(1_000);
    await postgres.restartImmediately();
    await sleep(2_000);
    const ids = acceptedIn(await load.stop());
    expect(ids.length).toBeGreaterThan(0);
    await product.untilDelivered(ids);
    for (const id of ids)
      expect(new Set(product.callbacks.of(id).map(({ deliveryId }) => deliveryId)).size).toBe(1);
    await product.stop();
    await redis.stop();
  });
});
