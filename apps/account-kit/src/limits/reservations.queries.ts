import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { type Reservation, describeCap, toCapKey, toCapPeriod, type CappedUse } from './cap.js';
import { LRUCache } from 'lru-cache';

export interface NewReservations {
  /** The id of a user operation or a Solana transaction. */
  readonly operationId: string;
  readonly clientId: string;
  readonly reservations: readonly Reservation[];
}

const counterRows = z.array(
  z.object({ clientId: z.string(), key: z.string(), subject: z.string(), periodStart: z.date() }),
);
const toCounter = (
  clientId: string,
  { key, subject, periodStart }: Omit<z.infer<typeof counterRows>[number], 'clientId'>,
) => JSON.stringify([clientId, key, subject, periodStart.getTime()]);

/**
 * Reserves parts of caps in one statement. Counters are locked in the order of their keys, so that no two operations wait for each other.
 * @param options.isForced counts also what is beyond a cap
 * @returns for each request the keys of the caps without room for all of them together; if there is one, the transaction is to be rolled
 *   back
 */
export async function reserve(
  db: Queryable,
  requests: readonly NewReservations[],
  { isForced = false }: { readonly isForced?: boolean } = {},
): Promise<string[][]> {
  const all = requests.flatMap(({ operationId, clientId, reservations }) =>
    reservations.map((reservation) => ({ ...reservation, operationId, clientId })),
  );
  if (all.length === 0) return requests.map(() => []);
  const column = (select: (one: (typeof all)[number]) => string | boolean) => all.map(select);
  const rows = await queryRows(
    db,
    `WITH asked AS MATERIALIZED (
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::numeric[], $7::numeric[],
         $8::boolean[], $9::numeric[])
         AS asked (operation_id, client_id, cap_key, subject, period_start, amount, if_reverted, is_gas, max)
     ), reserved AS (
       INSERT INTO account_kit.cap_reservations
         (operation_id, client_id, cap_key, subject, period_start, reserved, if_reverted, is_gas, counted)
       SELECT operation_id, client_id, cap_key, subject, period_start, amount, if_reverted, is_gas, amount FROM asked
     ), summed AS MATERIALIZED (
       SELECT client_id, cap_key, subject, period_start, sum(amount) AS amount, min(max) AS max FROM asked
       GROUP BY client_id, cap_key, subject, period_start
     )
     INSERT INTO account_kit.cap_usage AS u (client_id, cap_key, subject, period_start, used, max)
     SELECT client_id, cap_key, subject, period_start, amount, max FROM summed WHERE $10 OR amount <= max
     ORDER BY client_id, cap_key, subject, period_start
     ON CONFLICT (client_id, cap_key, subject, period_start) DO UPDATE SET used = u.used + excluded.used, max = excluded.max
       WHERE $10 OR u.used + excluded.used <= excluded.max
     RETURNING u.client_id AS "clientId", u.cap_key AS key, u.subject, u.period_start AS "periodStart"`,
    [
      column(({ operationId }) => operationId),
      column(({ clientId }) => clientId),
      column(({ key }) => key),
      column(({ subject }) => subject),
      column(({ periodStart }) => periodStart.toISOString()),
      column(({ amount }) => String(amount)),
      column(({ ifReverted }) => String(ifReverted)),
      column(({ cap }) => cap.of === 'gas'),
      column(({ cap }) => String(cap.max)),
      isForced,
    ],
  );
  const withRoom = new Set(counterRows.parse(rows).map((row) => toCounter(row.clientId, row)));
  return requests.map(({ clientId, reservations }) =>
    reservations.filter((one) => !withRoom.has(toCounter(clientId, one))).map(({ key }) => key),
  );
}

/**
 * SQL of what a reservation `r` counts for, by the state of its operation or Solana transaction `o`: a value, not a change of one. What is
 * `included` is so on the word of one node, which could invent a revert to make room in a cap, so it counts for the worst case until it is final. A
 * cancellation without fees counts for what it costs the executor.
 */
const COUNTED_OPERATION = `CASE
    WHEN o.state IN ('rejected', 'expired') THEN 0
    WHEN o.state NOT IN ('final', 'reverted') THEN r.reserved
    WHEN r.is_gas AND o.kind = 'cancellation' AND o.max_fee_per_gas = 0 THEN r.reserved
    WHEN r.is_gas THEN o.actual_gas_cost
    WHEN o.success THEN r.reserved
    ELSE r.if_reverted END`;
const COUNTED_TRANSACTION = `CASE
    WHEN o.state IN ('rejected', 'expired') THEN 0
    WHEN o.state = 'reverted' THEN r.if_reverted
    ELSE r.reserved END`;

const settle = (table: string, counted: string): string => `
  WITH settled AS MATERIALIZED (
    SELECT r.operation_id, r.client_id, r.cap_key, r.subject, r.period_start, ${counted} AS counted, ${counted} - r.counted AS change
    FROM account_kit.cap_reservations AS r JOIN ${table} AS o ON o.id = r.operation_id
    WHERE r.operation_id = ANY($1::uuid[]) AND ${counted} <> r.counted
  ), changes AS (
    SELECT client_id, cap_key, subject, period_start, sum(change) AS change FROM settled
    GROUP BY client_id, cap_key, subject, period_start
  ), locked AS MATERIALIZED (
    SELECT u.client_id, u.cap_key, u.subject, u.period_start, changes.change
    FROM account_kit.cap_usage AS u JOIN changes USING (client_id, cap_key, subject, period_start)
    ORDER BY u.client_id, u.cap_key, u.subject, u.period_start FOR UPDATE OF u
  ), counted AS (
    UPDATE account_kit.cap_reservations AS r SET counted = s.counted FROM settled AS s
    WHERE r.operation_id = s.operation_id AND r.cap_key = s.cap_key
  )
  UPDATE account_kit.cap_usage AS u SET used = u.used + l.change FROM locked AS l
  WHERE u.client_id = l.client_id AND u.cap_key = l.cap_key AND u.subject = l.subject AND u.period_start = l.period_start`;
const SETTLE_OPERATIONS = settle('account_kit.user_operations', COUNTED_OPERATION);
const SETTLE_TRANSACTIONS = settle('account_kit.solana_transactions', COUNTED_TRANSACTION);

/**
 * Lets the reservations of user operations count for what their states say. In the transaction that changes the states, which locks the
 * operations; repeating it changes nothing.
 */
export async function settleOperations(db: Queryable, ids: readonly string[]): Promise<void> {
  if (await hasReservations(db, ids)) await queryRows(db, SETTLE_OPERATIONS, [ids]);
}

/** Settles the reservations of Solana transactions, as `settleOperations` does for user operations. */
export async function settleTransactions(db: Queryable, ids: readonly string[]): Promise<void> {
  if (await hasReservations(db, ids)) await queryRows(db, SETTLE_TRANSACTIONS, [ids]);
}

/** Most operations have none, and planning the statement that settles costs more than this one. */
async function hasReservations(db: Queryable, ids: readonly string[]): Promise<boolean> {
  const rows = await queryRows(
    db,
    'SELECT FROM account_kit.cap_reservations WHERE operation_id = ANY($1::uuid[]) LIMIT 1',
    [ids],
  );
  return rows.length > 0;
}

/** Deletes reservations and counters of periods that began before `before`. @returns whether more may be there */
export async function deletePastUsage(db: Queryable, before: Date, limit: number): Promise<boolean> {
  const counts: number[] = [];
  for (const table of ['cap_reservations', 'cap_usage']) {
    const rows = await queryRows(
      db,
      `WITH deleted AS (
         DELETE FROM account_kit.${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM account_kit.${table} WHERE period_start < $1 LIMIT $2)) RETURNING 1)
       SELECT count(*)::int AS count FROM deleted`,
      [before, limit],
    );
    counts.push(
      ...z
        .array(z.object({ count: z.int() }))
        .parse(rows)
        .map(({ count }) => count),
    );
  }
  return counts.includes(limit);
}

/** The room that is left in a cap. Amounts are decimal text. */
interface CapRoom {
  readonly limit: string;
  readonly remaining: string;
  readonly availableAt: string;
}

const roomRows = z.array(z.object({ key: z.string(), periodStart: z.date(), remaining: z.string() }));

/** What the reservations of an operation leave of their caps, as the transaction that has reserved them sees it. */
export async function listCapRoom(
  db: Queryable,
  operationId: string,
  uses: readonly CappedUse[],
): Promise<CapRoom[]> {
  if (uses.length === 0) return [];
  const rows = await queryRows(
    db,
    `SELECT r.cap_key AS key, r.period_start AS "periodStart", (u.max - u.used)::text AS remaining
     FROM account_kit.cap_reservations AS r JOIN account_kit.cap_usage AS u USING (client_id, cap_key, subject, period_start)
     WHERE r.operation_id = $1`,
    [operationId],
  );
  const found = new Map(roomRows.parse(rows).map((row) => [row.key, row]));
  return uses.flatMap(({ cap }) => {
    const row = found.get(toCapKey(cap));
    if (!row) return [];
    const { end } = toCapPeriod(cap.period, row.periodStart);
    return [{ limit: describeCap(cap), remaining: row.remaining, availableAt: end.toISOString() }];
  });
}

/** Operations of a client application without room in a cap are accepted alone for this time. */
const FULL_MS = 5_000;
const MAX_FULL = 1_000;

/** There was no room in a cap for some operations. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';

  constructor(readonly operationIds: ReadonlySet<string>) {
    super('a cap has no room');
  }
}

/** Reserves parts of caps for several operations, in the transaction that accepts them. @throws NoRoomError */
export async function reserveTogether(db: Queryable, requests: readonly NewReservations[]): Promise<void> {
  const full = await reserve(db, requests);
  const withoutRoom = requests.filter((_, index) => full[index]?.length !== 0);
  if (withoutRoom.length > 0)
    throw new NoRoomError(new Set(withoutRoom.map(({ operationId }) => operationId)));
}

/**
 * Ids of client applications that have just found no room in a cap. Their next operations are likely to find none, and would have the
 * transaction of the others rolled back each time.
 */
export const createFullClients = () => new LRUCache<string, true>({ max: MAX_FULL, ttl: FULL_MS });
