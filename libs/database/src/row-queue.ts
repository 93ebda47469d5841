import { type Queryable, queryRows } from './query-rows.js';

export interface RowQueueDefinition {
  /** A table whose rows have an `id`. */
  readonly table: string;
  /** Column of the time from which a row is due. */
  readonly dueAt: string;
  /** SQL condition of the rows that wait in the queue. */
  readonly isWaiting: string;
  /** SQL of the size of a row, where one claim of many rows could exceed the memory. */
  readonly bytes?: string;
  /** Column whose values take turns. It needs an index of the waiting rows by this column and `dueAt`. */
  readonly turnBy?: string;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly leaseMs: number;
  /** Columns of `claimed`, the claimed rows. */
  readonly columns: string;
  /** Statement over `claimed`. */
  readonly select?: string;
}

/** Sum of the sizes of one claim. */
const MAX_CLAIM_BYTES = 1_000_000;

/**
 * A table as a queue: each row holds when it is due. A claim is one statement that postpones rows by a lease, so no transaction,
 * connection or lock is held while they are worked on. Rows of an instance that dies become due again.
 */
export class RowQueue {
  constructor(private readonly definition: RowQueueDefinition) {}

  /**
   * Claims the rows that are longest due: fewer than `limit` where their sizes exceed MAX_CLAIM_BYTES, but at least one.
   * @returns the rows of `select`, which are not validated
   */
  claim(db: Queryable, options: ClaimOptions): Promise<unknown[]> {
    const { table, dueAt, isWaiting, bytes = '0' } = this.definition;
    const due = `due AS (
      SELECT id, ${dueAt} AS due_at, ${bytes} AS bytes FROM ${table}
      WHERE ${isWaiting} AND ${dueAt} <= now()
      ORDER BY ${dueAt} LIMIT $1::int FOR UPDATE SKIP LOCKED
    )`;
    return this.claimFrom(db, due, options);
  }

  /**
   * Claims rows as `claim` does, with an equal part of `limit` for each value of `turnBy` that has due rows, so fewer
   * rows than `limit` where some values have few. Costs an index look-up for each value that has waiting rows: use it
   * where there is a backlog.
   */
  claimInTurns(db: Queryable, options: ClaimOptions): Promise<unknown[]> {
    const { table, dueAt, isWaiting, bytes = '0', turnBy } = this.definition;
    if (turnBy === undefined) throw new Error(`The rows of ${table} take no turns`);
    const due = `waiting_value AS (
      SELECT min(${turnBy}) AS value FROM ${table} WHERE ${isWaiting}
      UNION ALL
      SELECT (SELECT min(${turnBy}) FROM ${table} WHERE ${isWaiting} AND ${turnBy} > previous.value)
      FROM waiting_value AS previous WHERE previous.value IS NOT NULL
    ), due_value AS (
      SELECT value FROM waiting_value CROSS JOIN LATERAL (
        SELECT ${dueAt} AS due_at FROM ${table}
        WHERE ${isWaiting} AND ${turnBy} = value AND ${dueAt} <= now() ORDER BY ${dueAt} LIMIT 1
      ) AS first
      ORDER BY first.due_at LIMIT $1::int
    ), due AS (
      SELECT turn.* FROM due_value CROSS JOIN LATERAL (
        SELECT id, ${dueAt} AS due_at, ${bytes} AS bytes FROM ${table}
        WHERE ${isWaiting} AND ${turnBy} = value AND ${dueAt} <= now()
        ORDER BY ${dueAt} LIMIT (SELECT ceil($1::int / count(*)::float8)::int FROM due_value) FOR UPDATE SKIP LOCKED
      ) AS turn
      LIMIT $1::int
    )`;
    return this.claimFrom(db, due, options);
  }

  /** @param due common table expressions, the last of which is `due` */
  private claimFrom(
    db: Queryable,
    due: string,
    { limit, leaseMs, columns, select = 'SELECT * FROM claimed' }: ClaimOptions,
  ): Promise<unknown[]> {
    const { table, dueAt } = this.definition;
    const sql = `
      WITH RECURSIVE ${due}, sized AS (
        SELECT id, sum(bytes) OVER (ORDER BY due_at, id) - bytes AS bytes_before FROM due
      ), claimed AS (
        UPDATE ${table} SET ${dueAt} = clock_timestamp() + $2 * interval '1 ms'
        WHERE id IN (SELECT id FROM sized WHERE bytes_before < $3)
        RETURNING ${columns}
      )
      ${select}`;
    return queryRows(db, sql, [limit, leaseMs, MAX_CLAIM_BYTES]);
  }
}
