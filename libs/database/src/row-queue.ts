import { type Queryable, queryRows } from './query-rows.js';

export interface RowQueueDefinition {
  /** Its rows have an `id`. */
  readonly table: string;
  /** Column of the time from which a row is due. */
  readonly dueAt: string;
  /** SQL condition of the rows that wait in the queue. */
  readonly isWaiting: string;
  /** SQL of the size of a row, where one claim of many rows could exceed the memory. */
  readonly bytes?: string;
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
  claim(
    db: Queryable,
    { limit, leaseMs, columns, select = 'SELECT * FROM claimed' }: ClaimOptions,
  ): Promise<unknown[]> {
    const { table, dueAt, isWaiting, bytes = '0' } = this.definition;
    const sql = `
      WITH due AS (
        SELECT id, ${dueAt} AS due_at, ${bytes} AS bytes FROM ${table}
        WHERE ${isWaiting} AND ${dueAt} <= now()
        ORDER BY ${dueAt} LIMIT $1 FOR UPDATE SKIP LOCKED
      ), sized AS (
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
