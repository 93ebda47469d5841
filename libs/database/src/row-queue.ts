import { type Queryable, queryRows } from './database.js';
import { formatErrorReason, type WakeUpSignal } from '@app/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';

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

export interface RowQueueWorkerOptions {
  /** Wakes the worker when this process has made a row due. */
  readonly signal: WakeUpSignal;
  /** Interval of polls for rows of other instances. */
  readonly pollMs: number;
  readonly logger: Logger;
  readonly failureMessage: string;
}

/** Block numbers, hashes, ids and times differ at every poll, and do not make another reason. */
const VARIABLE_PART = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\d{4,}/gi;

/** Works on the due rows of a table: at once when signalled in this process, otherwise at the next poll. */
export abstract class RowQueueWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected stopped = false;
  private lastReason: string | undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly workerOptions: RowQueueWorkerOptions) {}

  onApplicationBootstrap(): void {
    this.loop = this.runLoop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await this.loop;
  }

  protected abstract work(): Promise<void>;

  protected stop(): void {
    this.stopped = true;
    this.workerOptions.signal.notify();
  }

  protected readonly recordSuccess = (): void => {
    this.lastReason = undefined;
  };

  /**
   * Logs a failure unless its reason is that of the failure before it: the rows stay due, and every poll would repeat the message.
   * A second cause is logged although the first one, such as a node that was away at the start, hid it.
   */
  protected readonly logFailure = (error: unknown): void => {
    const { logger, failureMessage } = this.workerOptions;
    const reason = formatErrorReason(error).replaceAll(VARIABLE_PART, '#');
    if (this.lastReason !== reason) logger.warn({ err: error }, failureMessage);
    this.lastReason = reason;
  };

  private async runLoop(): Promise<void> {
    const { signal, pollMs } = this.workerOptions;
    while (!this.stopped) {
      await this.work().catch(this.logFailure);
      await signal.wait(pollMs);
    }
  }
}
