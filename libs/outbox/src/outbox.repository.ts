import { Database } from '@app/database';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OUTBOX_OPTIONS, type OutboxOptions } from './outbox-options.js';

const outboxRows = z.array(z.object({ id: z.string(), queue: z.string(), payload: z.unknown() }));
export type OutboxRow = z.infer<typeof outboxRows>[number];

export interface UnsendableRow {
  id: string;
  queue: string;
  /** Names fields, never values. */
  reason: string;
}

export interface OutboxBacklog {
  waiting: number;
  oldestSeconds: number;
  setAside: number;
}

const ids = z.array(z.object({ id: z.string() }));

/** As PostgreSQL stores them: compressed when they are long. */
const MAX_CLAIM_BYTES = 1_000_000;

/** Counting goes no further: whoever looks at the number knows enough by then. */
const MAX_COUNTED_ROWS = 10_000;
const sizes = z.tuple([
  z.object({ waiting: z.int(), oldest_seconds: z.number().nullable(), set_aside: z.int() }),
]);

/**
 * The rows of an outbox. Taking some is one statement and no transaction stays open while they are sent: a backend that
 * hangs holds up no connection and no lock. Whoever takes rows and is lost leaves them to the others when the time is up.
 */
@Injectable()
export class OutboxRepository {
  private readonly table: string;

  constructor(
    @Inject(OUTBOX_OPTIONS) { schema }: OutboxOptions,
    private readonly database: Database,
  ) {
    this.table = `${schema}.outbox`;
  }

  /**
   * The oldest that are due, in order, as far as they do not fill the memory. They come due again if nobody removes them in
   * so many milliseconds.
   */
  async claim(atMost: number, forMs: number): Promise<OutboxRow[]> {
    const taken = await this.database.query(
      `WITH due AS (
         SELECT id, due_at, pg_column_size(payload) AS bytes FROM ${this.table}
         WHERE set_aside IS NULL AND due_at <= now()
         ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
       ), piece AS (
         SELECT id, sum(bytes) OVER (ORDER BY due_at, id) - bytes AS bytes_before FROM due
       ), taken AS (
         UPDATE ${this.table} AS o SET due_at = clock_timestamp() + $2 * interval '1 ms'
         FROM piece WHERE o.id = piece.id AND piece.bytes_before < $3
         RETURNING o.id, o.queue, o.payload
       )
       SELECT id::text, queue, payload FROM taken ORDER BY taken.id`,
      [atMost, forMs, MAX_CLAIM_BYTES],
    );
    return outboxRows.parse(taken);
  }

  async delete(sent: readonly OutboxRow[]): Promise<void> {
    if (sent.length === 0) return;
    await this.database.query(`DELETE FROM ${this.table} WHERE id = ANY ($1::bigint[])`, [toIds(sent)]);
  }

  /** Due at once and in front of what is younger, or after so many milliseconds. */
  async release(unsent: readonly OutboxRow[], afterMs: number): Promise<void> {
    if (unsent.length === 0) return;
    await this.database.query(
      `UPDATE ${this.table}
       SET due_at = CASE WHEN $2 > 0 THEN clock_timestamp() + $2 * interval '1 ms' ELSE created_at END
       WHERE id = ANY ($1::bigint[])`,
      [toIds(unsent), afterMs],
    );
  }

  /** Left to instances that know better, and set aside when that took too long. @returns the ids that were set aside */
  async deferUnsendable(
    those: readonly UnsendableRow[],
    { forMs, patienceMs }: { forMs: number; patienceMs: number },
  ): Promise<string[]> {
    if (those.length === 0) return [];
    const givenUp = await this.database.query(
      `WITH put_off AS (
         UPDATE ${this.table} AS o
         SET due_at = clock_timestamp() + $3 * interval '1 ms',
             unsendable_since = coalesce(o.unsendable_since, now()),
             set_aside = CASE WHEN coalesce(o.unsendable_since, now()) <= now() - $4 * interval '1 ms' THEN u.why END
         FROM unnest($1::bigint[], $2::text[]) AS u (id, why) WHERE o.id = u.id
         RETURNING o.id, o.set_aside
       )
       SELECT id::text FROM put_off WHERE set_aside IS NOT NULL`,
      [toIds(those), those.map(({ reason }) => reason), forMs, patienceMs],
    );
    return ids.parse(givenUp).map(({ id }) => id);
  }

  async loadBacklog(): Promise<OutboxBacklog> {
    const found = await this.database.query(
      `WITH waiting AS (
         SELECT created_at FROM ${this.table} WHERE set_aside IS NULL ORDER BY due_at, id LIMIT $1
       ), set_aside AS (
         SELECT FROM ${this.table} WHERE set_aside IS NOT NULL LIMIT $1
       )
       SELECT (SELECT count(*)::int FROM waiting) AS waiting,
         (SELECT extract(epoch FROM clock_timestamp() - min(created_at))::float8 FROM waiting) AS oldest_seconds,
         (SELECT count(*)::int FROM set_aside) AS set_aside`,
      [MAX_COUNTED_ROWS],
    );
    const [{ waiting, oldest_seconds, set_aside }] = sizes.parse(found);
    return { waiting, oldestSeconds: oldest_seconds ?? 0, setAside: set_aside };
  }
}

const toIds = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
