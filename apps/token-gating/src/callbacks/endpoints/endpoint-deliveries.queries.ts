import { type Queryable, queryRows } from '@app/database';
import { ENDPOINT_DELIVERY_DAYS } from '@app/dto';
import type { PageCursor } from '@app/service';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { MAX_DELIVERIES_PER_RESULT } from '../callback.errors.js';

const RECENT = `created_at > now() - interval '${ENDPOINT_DELIVERY_DAYS} days'`;
/** Challenges are sent by a change of the endpoint, and what names an erased user is not sent again. */
const REPEATABLE = `payload ->> 'challenge' IS NULL AND payload ->> 'isErased' IS NULL`;

const IS_RECOVERABLE = `${REPEATABLE} AND d.repeats < ${MAX_DELIVERIES_PER_RESULT}`;
/** The newest attempts of a delivery are listed. */
const MAX_LISTED_ATTEMPTS = 20;

const attempts = z.array(
  z.object({
    attempt: z.int(),
    startedAt: z.string(),
    milliseconds: z.int(),
    status: z.int().nullable(),
    failure: z.string().nullable(),
    answer: z.string().nullable(),
  }),
);

const deliveryRows = z.array(
  z.object({
    id: z.string(),
    type: z.string(),
    state: z.enum(['pending', 'delivered', 'failed']),
    createdAt: z.date(),
    nextAttemptAt: z.date(),
    sortTime: z.string(),
    attempts,
  }),
);
export type StoredEndpointDelivery = z.output<typeof deliveryRows>[number];

/** The deliveries to an endpoint in the last three days, newest first. The sort time is text, because a Date loses its microseconds. */
export async function listEndpointDeliveries(
  db: Queryable,
  endpointId: string,
  { after: [sortTime, id] = [], rowLimit }: PageCursor,
): Promise<StoredEndpointDelivery[]> {
  const sql = `
    SELECT d.id, coalesce(d.payload -> 'event' ->> 'type', 'endpoint.challenge') AS type, d.state,
      d.created_at AS "createdAt", d.next_attempt_at AS "nextAttemptAt", d.created_at::text AS "sortTime",
      coalesce((SELECT jsonb_agg(jsonb_build_object('attempt', a.attempt, 'startedAt', a.started_at,
          'milliseconds', a.milliseconds, 'status', a.status, 'failure', a.failure,
          'answer', CASE WHEN a.started_at > now() - interval '${ENDPOINT_DELIVERY_DAYS} days' THEN a.answer END)
          ORDER BY a.attempt)
        FROM (SELECT * FROM token_gating.delivery_attempts WHERE delivery_id = d.id
          ORDER BY attempt DESC LIMIT ${MAX_LISTED_ATTEMPTS}) a), '[]') AS attempts
    FROM token_gating.deliveries d
    WHERE d.endpoint_id = $1 AND d.${RECENT}
      AND (d.created_at, d.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4, ''))
    ORDER BY d.created_at DESC, d.id DESC LIMIT $2`;
  return deliveryRows.parse(await queryRows(db, sql, [endpointId, rowLimit, sortTime ?? null, id ?? null]));
}

/** A repetition begins the schedule of retries anew. */
const REPEATED = `state = 'pending', repeats = d.repeats + 1, repeat_base = d.attempts, url = e.url`;
const IS_LISTENING = 'e.challenge IS NULL AND e.suspended_at IS NULL';

const repeatedRows = z.array(z.object({ isRepeated: z.boolean() }));

/**
 * Sends a delivery once more under its id, to the URL that the endpoint has now.
 * @returns false where it was sent again too often; undefined where there is no such delivery
 */
export async function repeatDelivery(
  db: Queryable,
  endpointId: string,
  deliveryId: string,
  retentionMs: number,
): Promise<boolean | undefined> {
  const sql = `
    WITH found AS (
      SELECT d.id, d.repeats < ${MAX_DELIVERIES_PER_RESULT} AS is_repeated FROM token_gating.deliveries d
      WHERE d.id = $2 AND d.endpoint_id = $1 AND d.${RECENT} AND ${REPEATABLE} FOR UPDATE OF d
    ), repeated AS (
      UPDATE token_gating.deliveries AS d
      SET ${REPEATED}, next_attempt_at = now(), expires_at = greatest(d.expires_at, now() + $3 * interval '1 ms')
      FROM found, token_gating.callback_endpoints AS e
      WHERE d.id = found.id AND found.is_repeated AND e.id = $1
    )
    SELECT is_repeated AS "isRepeated" FROM found`;
  const rows = repeatedRows.parse(await queryRows(db, sql, [endpointId, deliveryId, retentionMs]));
  return rows[0]?.isRepeated;
}

const idRows = z.array(z.object({ id: z.string() }));
const failedRows = z.array(z.object({ id: z.string(), tenantId: z.string() }));
type FailedDelivery = z.output<typeof failedRows>[number];

/** The failed ones of an endpoint's newest deliveries, oldest first. @param limit how many deliveries are looked at */
export async function listFailedDeliveries(
  db: Queryable,
  endpointId: string,
  since: string,
  limit: number,
): Promise<string[]> {
  const sql = `
    WITH newest AS (
      SELECT id FROM token_gating.deliveries
      WHERE endpoint_id = $1 AND ${RECENT} AND created_at >= $2::timestamptz
      ORDER BY created_at DESC, id DESC LIMIT $3
    )
    SELECT d.id FROM token_gating.deliveries d JOIN newest ON newest.id = d.id
    WHERE d.state = 'failed' AND ${IS_RECOVERABLE} ORDER BY d.created_at, d.id`;
  return idRows.parse(await queryRows(db, sql, [endpointId, since, limit])).map(({ id }) => id);
}

/** Locks those of these deliveries that have still failed, oldest first. */
export async function lockFailedDeliveries(
  manager: EntityManager,
  ids: readonly string[],
): Promise<FailedDelivery[]> {
  const sql = `
    SELECT d.id, d.tenant_id AS "tenantId" FROM token_gating.deliveries d
    WHERE d.id = ANY($1::text[]) AND d.state = 'failed' AND ${IS_RECOVERABLE}
    ORDER BY d.created_at, d.id FOR UPDATE OF d SKIP LOCKED`;
  return failedRows.parse(await queryRows(manager, sql, [ids]));
}

/** Sends failed deliveries once more under their ids, to the URL that the endpoint has now. */
export async function recoverDeliveries(
  manager: EntityManager,
  endpointId: string,
  deliveries: readonly { readonly id: string; readonly delayMs: number }[],
  retentionMs: number,
): Promise<number> {
  const sql = `
    UPDATE token_gating.deliveries AS d
    SET ${REPEATED}, next_attempt_at = now() + again.delay_ms * interval '1 ms',
      expires_at = greatest(d.expires_at, now() + (again.delay_ms + $4) * interval '1 ms')
    FROM unnest($2::text[], $3::float8[]) AS again (id, delay_ms), token_gating.callback_endpoints AS e
    WHERE d.id = again.id AND d.endpoint_id = $1 AND e.id = $1 AND ${IS_LISTENING} RETURNING d.id`;
  const ids = deliveries.map(({ id }) => id);
  const delays = deliveries.map(({ delayMs }) => delayMs);
  return (await queryRows(manager, sql, [endpointId, ids, delays, retentionMs])).length;
}

/** Deletes deliveries of endpoints that are gone. Looks at one row for each endpoint with deliveries. @returns how many, at most `limit` */
export async function deleteOrphanedDeliveries(db: Queryable, limit: number): Promise<number> {
  const orphans = `
    WITH RECURSIVE named AS (
      SELECT min(endpoint_id) AS id FROM token_gating.deliveries WHERE endpoint_id IS NOT NULL
      UNION ALL
      SELECT (SELECT min(endpoint_id) FROM token_gating.deliveries WHERE endpoint_id > named.id)
      FROM named WHERE named.id IS NOT NULL
    )
    SELECT id FROM named
    WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM token_gating.callback_endpoints e WHERE e.id = named.id)`;
  const ids = idRows.parse(await queryRows(db, orphans)).map(({ id }) => id);
  if (ids.length === 0) return 0;
  const sql = `
    DELETE FROM token_gating.deliveries WHERE id IN (
      SELECT id FROM token_gating.deliveries WHERE endpoint_id = ANY($1::text[]) LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING id`;
  return (await queryRows(db, sql, [ids, limit])).length;
}
