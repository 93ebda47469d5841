import { type Queryable, queryRows } from '@app/database';
import type { OperationEvent } from '@app/dto';
import { z } from 'zod';

/** An event that comes later is not counted: nothing would tell whether it was counted before. */
export const EVENT_ID_DAYS = 14;
/** Clocks of databases may differ. */
const MAX_AHEAD = "interval '5 minutes'";
const MIN_AT = `now() - interval '${EVENT_ID_DAYS} days'`;

/** Rows are written in one order, so that concurrent batches wait for each other and do not deadlock. */
const COUNT_EVENTS = `
  WITH given AS (
    SELECT DISTINCT ON (id) id, at, client_id, chain, state
    FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
      AS given (id, at, client_id, chain, state)
    WHERE at > ${MIN_AT} AND at < now() + ${MAX_AHEAD}
  ), new AS (
    INSERT INTO analytics.counted_operation_events (id, at) SELECT id, at FROM given ORDER BY id
    ON CONFLICT (id) DO NOTHING RETURNING id
  ), counted AS (
    INSERT INTO analytics.operation_counts AS c (client_id, day, chain, state, count)
    SELECT client_id, (at AT TIME ZONE 'UTC')::date AS day, chain, state, count(*)
    FROM given JOIN new USING (id) GROUP BY client_id, day, chain, state ORDER BY client_id, day, chain, state
    ON CONFLICT (client_id, day, chain, state) DO UPDATE SET count = c.count + excluded.count
  )
  SELECT (SELECT count(*)::int FROM new) AS counted, (SELECT count(*)::int FROM given) AS given`;

const outcomes = z.tuple([z.object({ counted: z.int(), given: z.int() })]);

/**
 * Adds events to the counts, once each.
 * @returns how many were counted, and how many were dropped because of their time
 */
export async function countOperationEvents(
  db: Queryable,
  events: readonly OperationEvent[],
): Promise<{ counted: number; dropped: number }> {
  const distinct = new Set(events.map(({ id }) => id)).size;
  const rows = await queryRows(db, COUNT_EVENTS, [
    events.map(({ id }) => id),
    events.map(({ at }) => at),
    events.map(({ clientId }) => clientId),
    events.map((event) => ('chainId' in event ? String(event.chainId) : event.network)),
    events.map(({ state }) => state),
  ]);
  const [{ counted, given }] = outcomes.parse(rows);
  return { counted, dropped: distinct - given };
}

const DELETE_IDS = `
  DELETE FROM analytics.counted_operation_events WHERE id IN (
    SELECT id FROM analytics.counted_operation_events WHERE at <= ${MIN_AT} - interval '1 hour' ORDER BY at LIMIT $1
  )
  RETURNING 1`;

const DELETE_COUNTS = `
  DELETE FROM analytics.operation_counts WHERE (client_id, day, chain, state) IN (
    SELECT client_id, day, chain, state FROM analytics.operation_counts
    WHERE day < (now() AT TIME ZONE 'UTC')::date - $2::int ORDER BY day LIMIT $1
  )
  RETURNING 1`;

/** Deletes at most `limit` rows of each table. @returns whether there may be more */
export async function deleteExpiredOperationCounts(
  db: Queryable,
  { limit, retentionDays }: { readonly limit: number; readonly retentionDays: number },
): Promise<boolean> {
  const ids = await queryRows(db, DELETE_IDS, [limit]);
  const counts = await queryRows(db, DELETE_COUNTS, [limit, retentionDays]);
  return ids.length === limit || counts.length === limit;
}

const countRows = z.array(
  z.object({ day: z.string(), chain: z.string(), state: z.string(), count: z.coerce.number().int() }),
);
export type OperationCount = z.output<typeof countRows>[number];

/** The counts of a client application in the last days, by UTC day, chain and state. */
export async function listOperationCounts(
  db: Queryable,
  clientId: string,
  days: number,
): Promise<OperationCount[]> {
  const sql = `
    SELECT day::text AS day, chain, state, count FROM analytics.operation_counts
    WHERE client_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int ORDER BY day, chain, state`;
  return countRows.parse(await queryRows(db, sql, [clientId, days]));
}
