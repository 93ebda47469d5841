import type pg from 'pg';
import { until } from '../support/until.js';

/** The number of the test's own advisory lock. */
const LOCK = 105;

/** A statement at which an instance is held. */
export interface HeldStatement {
  readonly table: string;
  readonly event: 'INSERT' | 'UPDATE';
  readonly when?: string;
}

const WAITING = `
  SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND NOT granted AND objid = ${LOCK}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Holds every statement of a kind until it is released. */
export class Hold {
  private constructor(
    private readonly connection: pg.PoolClient,
    private readonly table: string,
  ) {}

  static async place(pool: pg.Pool, { table, event, when = 'true' }: HeldStatement): Promise<Hold> {
    const connection = await pool.connect();
    await connection.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await connection.query(`
      CREATE FUNCTION account_kit.hold() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NEW; END $$`);
    await connection.query(`
      CREATE TRIGGER hold BEFORE ${event} ON account_kit.${table}
        FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION account_kit.hold()`);
    return new Hold(connection, table);
  }

  async untilReached(): Promise<void> {
    await until(`a statement on ${this.table} is held`, async () => {
      const { rows } = await this.connection.query(WAITING);
      return rows.length > 0;
    });
  }

  /** Waits until a statement is held that will not time out soon: another one is, after one that has. */
  async untilFreshlyReached(): Promise<void> {
    await until(`a statement on ${this.table} has just been held`, async () => {
      const { rows } = await this.connection.query(
        `SELECT FROM pg_stat_activity JOIN (${WAITING}) AS waiting USING (pid) WHERE query_start > now() - interval '5 seconds'`,
      );
      return rows.length > 0;
    });
  }

  /** Ends the held statements of a process that was killed: PostgreSQL would go on with them otherwise. */
  async discard(): Promise<void> {
    await until(`no statement on ${this.table} is held`, async () => {
      const { rows } = await this.connection.query(
        `SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS waiting`,
      );
      return rows.length === 0;
    });
    await this.release();
  }

  async release(): Promise<void> {
    // The lock is released first, because held statements have a lock of the table.
    await this.connection.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    await this.connection.query(`DROP TRIGGER hold ON account_kit.${this.table}`);
    await this.connection.query('DROP FUNCTION account_kit.hold()');
    this.connection.release();
  }
}
