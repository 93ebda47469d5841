import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PerMonthLimiter, MonthUsageQueries } from '@app/rate-limits';
import pg from 'pg';
import { until } from '../support/until.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';

describe('a month, leased from PostgreSQL', () => {
  let database: FreshDatabase;
  let pool: pg.Pool;
  let queries = 0;
  let isDown = false;
  const failures: unknown[] = [];

  beforeAll(async () => {
    database = await freshDatabase('gateway');
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
    pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
    // A request has little patience with a ledger, and making the first connections is not what it waits for.
    await Promise.all([1, 2, 3, 4].map(() => pool.query('SELECT pg_sleep(0.05)')));
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const ledger = new MonthUsageQueries(async (sql, parameters) => {
    queries += 1;
    if (isDown) throw new Error('connection refused');
    return (await pool.query<object>(sql, parameters)).rows;
  });

  const gateway = (now?: () => number) =>
    new PerMonthLimiter(ledger, { onStoreFailure: (error) => failures.push(error) }, now);

  const count = async (limits: PerMonthLimiter, holder: string, limit: number, times: number) => {
    const states = await Promise.all(Array.from({ length: times }, async () => limits.take(holder, limit)));
    return states.filter(({ admitted }) => admitted).length;
  };

  it('admits exactly the limit over two gateways at once', async () => {
    const gateways = [gateway(), gateway()];
    const admitted = await Promise.all(gateways.map((limits) => count(limits, 'two-gateways', 250, 200)));
    expect(admitted.reduce((sum, one) => sum + one)).toBe(250);
  });

  it('asks once per block, not once per request', async () => {
    const before = queries;
    expect(await count(gateway(), 'blocks', 1_000_000, 3_000)).toBe(3_000);
    expect(queries - before).toBeLessThanOrEqual(5);
  });

  it('begins again when the month does, to the millisecond, in UTC', async () => {
    let clock = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
    const limits = gateway(() => clock);
    expect(await count(limits, 'edge', 3, 5)).toBe(3);
    expect((await limits.take('edge', 3)).resetMs).toBe(Date.UTC(2027, 0, 1));
    clock += 1;
    expect(await count(limits, 'edge', 3, 5)).toBe(3);
    const { rows } = await pool.query(
      'SELECT month, used FROM gateway.month_usage WHERE holder_id = $1 ORDER BY 1',
      ['edge'],
    );
    expect(rows).toEqual([
      { month: '2026-12', used: 3n },
      { month: '2027-01', used: 3n },
    ]);
  });

  it('gives back what it leased and did not use, for the next gateway', async () => {
    const first = gateway();
    expect(await count(first, 'give-back', 50_000, 10)).toBe(10);
    await first.close();
    const { rows } = await pool.query('SELECT used FROM gateway.month_usage WHERE holder_id = $1', [
      'give-back',
    ]);
    expect(rows).toEqual([{ used: 10n }]);
  });

  const usedBy = async (pattern: string): Promise<{ holders: number; used: string }> => {
    const { rows } = await pool.query<{ holders: number; used: string }>(
      `SELECT count(*)::int AS holders, coalesce(sum(used), 0)::text AS used
       FROM gateway.month_usage WHERE holder_id LIKE $1`,
      [pattern],
    );
    return rows[0] ?? { holders: -1, used: '' };
  };

  it('gives back and books what thousands of holders had, with a statement for a thousand of them', async () => {
    const [first, second] = [gateway(), gateway()];
    const holders = Array.from({ length: 2_500 }, (_, at) => `many-${at}`);
    for (const limits of [first, second])
      for (let at = 0; at < holders.length; at += 50)
        await Promise.all(holders.slice(at, at + 50).map((holder) => count(limits, holder, 50_000, 1)));
    isDown = true;
    expect(await count(first, 'indebted-1', 300, 3)).toBe(3);
    expect(await count(first, 'indebted-2', 300, 4)).toBe(4);
    isDown = false;
    const before = queries;
    await Promise.all([first.close(), second.close()]);
    expect(queries - before).toBe(3 + 3 + 1);
    expect(await usedBy('many-%')).toEqual({ holders: 2_500, used: '5000' });
    expect(await usedBy('indebted-%')).toEqual({ holders: 2, used: '7' });
  });

  it('gives back what it had of holders that it forgets over others, many at once', async () => {
    const limits = gateway();
    expect(await count(limits, 'forgotten-1', 50_000, 1)).toBe(1);
    expect(await count(limits, 'forgotten-2', 50_000, 1)).toBe(1);
    for (let other = 0; other < 50_000; other += 1) limits.peek(`other-${other}`, 1_000);
    const before = queries;
    await until('given back', async () => (await usedBy('forgotten-%')).used === '2');
    expect(queries - before).toBe(1);
    await limits.close();
  });

  it('admits its share from memory while PostgreSQL is away, and books it afterwards', async () => {
    let clock = Date.UTC(2026, 10, 20);
    const limits = gateway(() => clock);
    isDown = true;
    expect(await count(limits, 'outage', 300, 25)).toBe(10);
    expect(failures).not.toHaveLength(0);
    isDown = false;
    clock += 2_000;
    expect(await count(limits, 'outage', 300, 300)).toBe(290);
    await until('booked', async () => (await usedBy('outage')).used === '300');
  });

  it('does not make requests wait for a silent PostgreSQL, and books the debt when the gateway ends', async () => {
    const limits = gateway();
    expect(await count(limits, 'silence', 3_000, 1)).toBe(1);
    await limits.close();
    const blocked = gateway();
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE gateway.month_usage IN ACCESS EXCLUSIVE MODE');
    expect(await count(blocked, 'silence', 3_000, 250)).toBe(100);
    expect(await count(blocked, 'silence', 3_000, 5)).toBe(0);
    await other.query('ROLLBACK');
    other.release();
    await blocked.close();
    const { rows } = await pool.query('SELECT used FROM gateway.month_usage WHERE holder_id = $1', [
      'silence',
    ]);
    expect(rows).toEqual([{ used: 101n }]);
  });

  it('follows a limit that was raised or lowered', async () => {
    const limits = gateway();
    expect(await count(limits, 'raised', 5, 8)).toBe(5);
    expect(await count(limits, 'raised', 9, 8)).toBe(4);
    expect(await count(limits, 'raised', 2, 8)).toBe(0);
  });
});
