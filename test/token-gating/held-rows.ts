import pg from 'pg';
import { until } from '../support/until.js';

const WAITING = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';

/** Rows that a transaction of the test has locked. */
export class HeldRows {
  private constructor(
    private readonly client: pg.Client,
    private readonly pid: number,
  ) {}

  /** @param sql a SELECT … FOR UPDATE */
  static async hold(databaseUrl: string, sql: string, parameters: unknown[]): Promise<HeldRows> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query(sql, parameters);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new HeldRows(client, rows[0]?.pid ?? 0);
  }

  async isWaitedFor(): Promise<boolean> {
    const { rows } = await this.client.query<{ count: number }>(WAITING, [this.pid]);
    return (rows[0]?.count ?? 0) > 0;
  }

  waitedFor(): Promise<void> {
    return until('somebody waits for the rows', () => this.isWaitedFor());
  }

  /** Once is enough. */
  release(): Promise<void> {
    return this.client.end();
  }
}
