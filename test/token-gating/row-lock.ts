import pg from 'pg';
import { until } from '../support/until.js';

const BLOCKED = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';

/** Locks rows or a table in a transaction of the test. */
export class RowLock {
  private constructor(
    private readonly client: pg.Client,
    private readonly pid: number,
  ) {}

  /** @param sql a SELECT … FOR UPDATE or LOCK TABLE */
  static async acquire(databaseUrl: string, sql: string, parameters: unknown[] = []): Promise<RowLock> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query(sql, parameters);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new RowLock(client, rows[0]?.pid ?? 0);
  }

  async isBlocking(): Promise<boolean> {
    const { rows } = await this.client.query<{ count: number }>(BLOCKED, [this.pid]);
    return (rows[0]?.count ?? 0) > 0;
  }

  waitUntilBlocking(): Promise<void> {
    return until('a transaction waits for the rows', () => this.isBlocking());
  }

  /** Idempotent. */
  release(): Promise<void> {
    return this.client.end();
  }
}
