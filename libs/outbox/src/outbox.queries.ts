import { getTraceparent } from '@app/common';
import { Database, formatTimestampSql, queryRows, RowQueue, toStoredJson } from '@app/database';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { OUTBOX_OPTIONS, type OutboxOptions } from './outbox.config.js';

const outboxRows = z.array(
  z.object({
    id: z.string(),
    queue: z.string(),
    payload: z.unknown(),
    traceparent: z.string().nullable(),
  }),
);
export type OutboxRow = z.infer<typeof outboxRows>[number];

export interface UnsendableRow {
  id: string;
  queue: string;
  /** Contains names of fields, never their values. */
  reason: string;
}

export interface OutboxBacklog {
  waiting: number;
  oldestSeconds: number;
  deadLetters: number;
}

const sentUntilRows = z.tuple([z.object({ until: z.iso.datetime() })]);

const idRows = z.array(z.object({ id: z.string() }));

/** Counting stops here, because an exact count of more rows is slow and not needed. */
const MAX_COUNTED_ROWS = 10_000;
const backlogRows = z.tuple([
  z.object({ waiting: z.int(), oldest_seconds: z.number().nullable(), dead_letters: z.int() }),
]);

/** All statements over the outbox table. */
@Injectable()
export class OutboxQueries {
  private readonly table: string;
  private readonly queue: RowQueue;

  constructor(
    @Inject(OUTBOX_OPTIONS) { schema }: OutboxOptions,
    private readonly database: Database,
  ) {
    this.table = `${schema}.outbox`;
    this.queue = new RowQueue({
      table: this.table,
      dueAt: 'due_at',
      isWaiting: 'set_aside IS NULL',
      // The size as stored, possibly compressed.
      bytes: 'pg_column_size(payload)',
    });
  }

  async insert(manager: EntityManager, queue: string, payloads: readonly unknown[]): Promise<void> {
    await queryRows(
      manager,
      `INSERT INTO ${this.table} (queue, payload, traceparent) SELECT $1, jsonb_array_elements($2::jsonb), $3`,
      [queue, toStoredJson(payloads), getTraceparent() ?? null],
    );
  }

  /** @param source SQL of a query with the column `payload` @param traceparent SQL, such as a parameter */
  toInsertSql(queues: readonly string[], source: string, traceparent: string): string {
    const names = queues.map((queue) => `('${queue}')`).join(', ');
    return `
      INSERT INTO ${this.table} (queue, payload, traceparent)
      SELECT target.queue, source.payload, ${traceparent}
      FROM (${source}) AS source CROSS JOIN (VALUES ${names}) AS target (queue)`;
  }

  /** Claims due rows for `leaseMs` milliseconds, in order. */
  async claim(limit: number, leaseMs: number): Promise<OutboxRow[]> {
    const select = 'SELECT id::text, queue, payload, traceparent FROM claimed ORDER BY claimed.id';
    const columns = 'id, queue, payload, traceparent';
    return outboxRows.parse(await this.queue.claim(this.database, { limit, leaseMs, columns, select }));
  }

  async delete(sent: readonly OutboxRow[]): Promise<void> {
    if (sent.length === 0) return;
    await this.database.query(`DELETE FROM ${this.table} WHERE id = ANY ($1::bigint[])`, [toIds(sent)]);
  }

  /** Ends a claim. Without a delay the rows are due at once, before younger ones. */
  async release(unsent: readonly OutboxRow[], delayMs: number): Promise<void> {
    if (unsent.length === 0) return;
    await this.database.query(
      `UPDATE ${this.table}
       SET due_at = CASE WHEN $2 > 0 THEN clock_timestamp() + $2 * interval '1 ms' ELSE created_at END
       WHERE id = ANY ($1::bigint[])`,
      [toIds(unsent), delayMs],
    );
  }

  /**
   * Defers rows that this version cannot send, and makes those dead letters that have been unsendable for `timeoutMs`.
   * @returns the ids of the new dead letters
   */
  async deferUnsendable(
    rows: readonly UnsendableRow[],
    { delayMs, timeoutMs }: { delayMs: number; timeoutMs: number },
  ): Promise<string[]> {
    if (rows.length === 0) return [];
    const deadLetters = await this.database.query(
      `WITH deferred AS (
         UPDATE ${this.table} AS o
         SET due_at = clock_timestamp() + $3 * interval '1 ms',
             unsendable_since = coalesce(o.unsendable_since, now()),
             set_aside = CASE WHEN coalesce(o.unsendable_since, now()) <= now() - $4 * interval '1 ms' THEN u.reason END
         FROM unnest($1::bigint[], $2::text[]) AS u (id, reason) WHERE o.id = u.id
         RETURNING o.id, o.set_aside
       )
       SELECT id::text FROM deferred WHERE set_aside IS NOT NULL`,
      [toIds(rows), rows.map(({ reason }) => reason), delayMs, timeoutMs],
    );
    return idRows.parse(deadLetters).map(({ id }) => id);
  }

  /**
   * The time until which all rows have been sent that were added by then. Transactions that last longer than
   * `maxTransactionSeconds` may add earlier ones. Dead letters do not count.
   */
  async findSentUntil(maxTransactionSeconds: number): Promise<string> {
    const rows = await this.database.query(
      `SELECT ${formatTimestampSql('sent.until')} AS until FROM (
         SELECT least(clock_timestamp(), (
           SELECT created_at FROM ${this.table} WHERE set_aside IS NULL ORDER BY id LIMIT 1
         )) - $1 * interval '1 second' AS until
       ) AS sent`,
      [maxTransactionSeconds],
    );
    return sentUntilRows.parse(rows)[0].until;
  }

  /** Counts up to MAX_COUNTED_ROWS rows of each state. `oldestSeconds` is 0 when none is waiting. */
  async loadBacklog(): Promise<OutboxBacklog> {
    const rows = await this.database.query(
      `WITH waiting AS (
         SELECT created_at FROM ${this.table} WHERE set_aside IS NULL ORDER BY due_at, id LIMIT $1
       ), dead_letter AS (
         SELECT FROM ${this.table} WHERE set_aside IS NOT NULL LIMIT $1
       )
       SELECT (SELECT count(*)::int FROM waiting) AS waiting,
         (SELECT extract(epoch FROM clock_timestamp() - min(created_at))::float8 FROM waiting) AS oldest_seconds,
         (SELECT count(*)::int FROM dead_letter) AS dead_letters`,
      [MAX_COUNTED_ROWS],
    );
    const [{ waiting, oldest_seconds, dead_letters }] = backlogRows.parse(rows);
    return { waiting, oldestSeconds: oldest_seconds ?? 0, deadLetters: dead_letters };
  }
}

const toIds = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
