import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MonthUsageQueries, PerMonthLimiter } from '@app/limits';
import pg from 'pg';
import { until } from '../support/until.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { databasePool } from '../support/database-pool.js';

/** No lease takes this long, not even on a busy machine. */
const LONG_TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 200;

/** Counters are read as bigints, as the apps read them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? BigInt : (pg.types.getTypeParser(oid, format) as unknown),
};

describe('PerMonthLimiter', () => {
  let database: FreshDatabase;
  let pool: pg.Pool;
  let statements = 0;
  let isDown = false;
  const failures: unknown[] = [];

  beforeAll(async () => {
    database = await freshDatabase('gateway');
    pool = databasePool(database.url, { max: 4, types });
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const queries = new MonthUsageQueries(async (sql, parameters) => {
    statements += 1;
    if (isDown) throw new Error('connection refused');
    return (await pool.query<object>(sql, parameters)).rows;
  });

  const createLimiter = (now?: () => number, leaseTimeoutMs = LONG_TIMEOUT_MS) =>
    new PerMonthLimiter(queries, { onStoreFailure: (error) => failures.push(error) }, now, leaseTimeoutMs);

  /** Takes `requests` at once. @returns how many were admitted */
  const take = async (limiter: PerMonthLimiter, tenant: string, limit: number, requests: number) => {
    const results = await Promise.all(
      Array.from({ length: requests }, async () => limiter.take(tenant, limit)),
    );
    return results.filter(({ admitted }) => admitted).length;
  };

  it('PerMonthLimiter: admits exactly the limit over two gateways at once', async () => {
    const gateways = [createLimiter(), createLimiter()];
    const admitted = await Promise.all(gateways.map((limiter) => take(limiter, 'two-gateways', 250, 200)));
    expect(admitted.reduce((sum, one) => sum + one)).toBe(250);
  });

  it('PerMonthLimiter: queries once per block, not once per request', async () => {
    const before = statements;
    expect(await take(createLimiter(), 'blocks', 1_000_000, 3_000)).toBe(3_000);
    expect(statements - before).toBeLessThanOrEqual(5);
  });

  it('PerMonthLimiter: starts at 0 with each month, to the millisecond, in UTC', async () => {
    let clock = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
    const limiter = createLimiter(() => clock);
    expect(await take(limiter, 'edge', 3, 5)).toBe(3);
    expect((await limiter.take('edge', 3)).resetMs).toBe(Date.UTC(2027, 0, 1));
    clock += 1;
    expect(await take(limiter, 'edge', 3, 5)).toBe(3);
    const { rows } = await pool.query(
      'SELECT month, used FROM gateway.month_usage WHERE holder_id = $1 ORDER BY 1',
      ['edge'],
    );
    expect(rows).toEqual([
      { month: '2026-12', used: 3n },
      { month: '2027-01', used: 3n },
    ]);
  });

  it('PerMonthLimiter: returns unused leases when it closes, for the next gateway', async () => {
    const limiter = createLimiter();
    expect(await take(limiter, 'give-back', 50_000, 10)).toBe(10);
    await limiter.close();
    const { rows } = await pool.query('SELECT used FROM gateway.month_usage WHERE holder_id = $1', [
      'give-back',
    ]);
    expect(rows).toEqual([{ used: 10n }]);
  });

  const readUsage = async (pattern: string): Promise<{ tenants: number; used: string }> => {
    const { rows } = await pool.query<{ tenants: number; used: string }>(
      `SELECT count(*)::int AS tenants, coalesce(sum(used), 0)::text AS used
       FROM gateway.month_usage WHERE holder_id LIKE $1`,
      [pattern],
    );
    return rows[0] ?? { tenants: -1, used: '' };
  };

  it('PerMonthLimiter: writes thousands of tenants when it closes, with one statement per thousand', async () => {
    const [first, second] = [createLimiter(), createLimiter()];
    const tenants = Array.from({ length: 2_500 }, (_, index) => `many-${index}`);
    for (const limiter of [first, second])
      for (let start = 0; start < tenants.length; start += 50)
        await Promise.all(tenants.slice(start, start + 50).map((tenant) => take(limiter, tenant, 50_000, 1)));
    isDown = true;
    expect(await take(first, 'unsynced-1', 300, 3)).toBe(3);
    expect(await take(first, 'unsynced-2', 300, 4)).toBe(4);
    isDown = false;
    const before = statements;
    await Promise.all([first.close(), second.close()]);
    expect(statements - before).toBe(3 + 3 + 1);
    expect(await readUsage('many-%')).toEqual({ tenants: 2_500, used: '5000' });
    expect(await readUsage('unsynced-%')).toEqual({ tenants: 2, used: '7' });
  });

  it('PerMonthLimiter: returns unused leases of evicted tenants in one batch', async () => {
    const limiter = createLimiter();
    expect(await take(limiter, 'evicted-1', 50_000, 1)).toBe(1);
    expect(await take(limiter, 'evicted-2', 50_000, 1)).toBe(1);
    for (let other = 0; other < 50_000; other += 1) limiter.peek(`other-${other}`, 1_000);
    const before = statements;
    await until('returned', async () => (await readUsage('evicted-%')).used === '2');
    expect(statements - before).toBe(1);
    await limiter.close();
  });

  it('PerMonthLimiter: admits its share from memory while PostgreSQL is unavailable, and stores it afterwards', async () => {
    let clock = Date.UTC(2026, 10, 20);
    const limiter = createLimiter(() => clock);
    isDown = true;
    expect(await take(limiter, 'outage', 300, 25)).toBe(10);
    expect(failures).not.toHaveLength(0);
    isDown = false;
    clock += 2_000;
    expect(await take(limiter, 'outage', 300, 300)).toBe(290);
    await until('stored', async () => (await readUsage('outage')).used === '300');
  });

  it('PerMonthLimiter: does not wait for a PostgreSQL that does not answer, and stores unsynced requests when it closes', async () => {
    const limiter = createLimiter();
    expect(await take(limiter, 'silence', 3_000, 1)).toBe(1);
    await limiter.close();
    const blocked = createLimiter(Date.now, SHORT_TIMEOUT_MS);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE gateway.month_usage IN ACCESS EXCLUSIVE MODE');
    expect(await take(blocked, 'silence', 3_000, 250)).toBe(100);
    expect(await take(blocked, 'silence', 3_000, 5)).toBe(0);
    await other.query('ROLLBACK');
    other.release();
    await blocked.close();
    const { rows } = await pool.query('SELECT used FROM gateway.month_usage WHERE holder_id = $1', [
      'silence',
    ]);
    expect(rows).toEqual([{ used: 101n }]);
  });

  it('PerMonthLimiter: pays from a lease that comes late what memory admitted meanwhile, so that the month ends at its limit', async () => {
    const tenant = 'late-lease';
    const slow = new MonthUsageQueries(async (sql, parameters) => {
      const { rows } = await pool.query<object>(sql, parameters);
      await answered;
      return rows;
    });
    let answer = (): void => undefined;
    let answered: Promise<void> = Promise.resolve();
    const onStoreFailure = (error: unknown) => failures.push(error);
    const limiter = new PerMonthLimiter(slow, { onStoreFailure }, undefined, SHORT_TIMEOUT_MS);
    expect(await take(limiter, tenant, 10, 9)).toBe(9);
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    expect(await take(limiter, tenant, 10, 1)).toBe(1);
    answer();
    await answered;
    expect(await take(limiter, tenant, 10, 5)).toBe(0);
    await limiter.close();
    const { rows } = await pool.query('SELECT used FROM gateway.month_usage WHERE holder_id = $1', [tenant]);
    expect(rows).toEqual([{ used: 10n }]);
  });

  it('PerMonthLimiter: follows a limit that is raised or lowered', async () => {
    const limiter = createLimiter();
    expect(await take(limiter, 'raised', 5, 8)).toBe(5);
    expect(await take(limiter, 'raised', 9, 8)).toBe(4);
    expect(await take(limiter, 'raised', 2, 8)).toBe(0);
  });
});
