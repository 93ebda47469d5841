import { type Queryable, queryRows, toStoredJson } from '@app/database';
import { z } from 'zod';
import { toDeliveryId } from '../../callbacks/delivery.js';
import { type CheckResult, checkResult } from '../../rules/check-result.js';
import { type TokenGatingExplanation, tokenGatingExplanation } from '@app/dto';

/** A request as received. It is stored as JSON and validated again when the check runs, by the schema of that release. */
const storedRequest = z.object({
  account: z.unknown(),
  rules: z.unknown(),
  /** Whether the caller asked for explanations; absent where not, so that digests of requests stay as they were. */
  explain: z.boolean().optional(),
});
export type StoredRequest = z.infer<typeof storedRequest>;

interface CheckRow {
  readonly id: string;
  readonly clientId: string;
  /** Null for a check from the queue, whose tenant is not known. */
  readonly tenantId: string | null;
  readonly idempotencyKey: string | undefined;
  readonly requestHash: Buffer;
  readonly request: StoredRequest;
  readonly callbackUrl: string | undefined;
  /** Whether the result is published to the results queue. */
  readonly reply: boolean;
  /** Requesting user; null when the client application requested the check for itself. */
  readonly requesterUserId: string | null;
  readonly runAfterMs: number;
  readonly retentionMs: number;
}

/** @returns false where the id or the idempotency key exists already */
export async function insertCheck(db: Queryable, check: CheckRow): Promise<boolean> {
  const sql = `
    INSERT INTO token_gating.checks
      (id, client_id, idempotency_key, request_hash, request, callback_url, reply, asker_user_id, tenant_id, next_run_at,
       expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + $10 * interval '1 ms', now() + $11 * interval '1 ms')
    ON CONFLICT DO NOTHING
    RETURNING id`;
  const { id, clientId, idempotencyKey, requestHash, request, callbackUrl, reply, requesterUserId } = check;
  const columns = [id, clientId, idempotencyKey, requestHash, JSON.stringify(request), callbackUrl, reply];
  const parameters = [...columns, requesterUserId, check.tenantId, check.runAfterMs, check.retentionMs];
  return (await queryRows(db, sql, parameters)).length > 0;
}

const existingChecks = z.array(z.object({ id: z.uuid(), requestHash: z.instanceof(Buffer) }));

type CheckKeys = Pick<CheckRow, 'id' | 'clientId' | 'requesterUserId' | 'idempotencyKey'>;

/**
 * The client application's check with this id, or with this idempotency key of the same user or of the client application
 * itself. Undefined if it belongs to another one.
 */
export async function findExistingCheck(
  db: Queryable,
  { id, clientId, requesterUserId, idempotencyKey }: CheckKeys,
) {
  const sql = `
    SELECT id, request_hash AS "requestHash" FROM token_gating.checks
    WHERE client_id = $1
      AND (id = $2 OR (coalesce(asker_user_id, '') = coalesce($3, '') AND idempotency_key = $4))`;
  const parameters = [clientId, id, requesterUserId, idempotencyKey];
  return existingChecks.parse(await queryRows(db, sql, parameters))[0];
}

const idRows = z.array(z.object({ id: z.string() })).transform((rows) => rows.map(({ id }) => id));

/** @returns those of the ids that exist */
export async function findCheckIds(db: Queryable, requestIds: readonly string[]): Promise<string[]> {
  const sql = 'SELECT id FROM token_gating.checks WHERE id = ANY($1::uuid[])';
  return idRows.parse(await queryRows(db, sql, [requestIds]));
}

const pendingChecks = z.array(
  z.object({
    id: z.uuid(),
    clientId: z.string(),
    /** The tenant. Checks from the queue, whose tenant is not known, have the client application instead. */
    tenantId: z.string(),
    requesterUserId: z.string().nullable(),
    request: storedRequest,
    createdAt: z.date(),
    /** The time of the first failed read, which is later than the check's creation where the check waited for room. */
    failingSince: z.date().nullable(),
  }),
);
/** An accepted check without a result. */
export type PendingCheck = z.infer<typeof pendingChecks>[number];

/** Omits checks that are finished or deleted. */
export async function loadPendingChecks(db: Queryable, ids: readonly string[]): Promise<PendingCheck[]> {
  const sql = `
    SELECT id, client_id AS "clientId", coalesce(tenant_id, client_id) AS "tenantId", asker_user_id AS "requesterUserId",
      request, created_at AS "createdAt", failing_since AS "failingSince"
    FROM token_gating.checks WHERE id = ANY($1::uuid[]) AND result IS NULL`;
  return pendingChecks.parse(await queryRows(db, sql, [ids]));
}

const FINISH = `
  WITH found AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $6::text[], $7::text[])
      AS found (id, result, delivery_id, traceparent, explanations)
  ), done AS (
    UPDATE token_gating.checks AS c
    SET result = found.result::jsonb, done_at = now(),
        -- Not where the user has been erased while the check ran: see eraseExplanations.
        explanations = CASE WHEN c.request ? 'explain' THEN found.explanations::jsonb END,
        expires_at = now() + $4 * interval '1 ms' + CASE WHEN callback_url IS NULL THEN interval '0' ELSE $5::interval END
    FROM found WHERE c.id = found.id AND c.result IS NULL
    RETURNING c.id, c.client_id, c.tenant_id, c.result, c.callback_url, c.reply, found.delivery_id, found.traceparent
  ), delivery AS (
    INSERT INTO token_gating.deliveries (id, check_id, tenant_id, url, next_attempt_at, traceparent)
    SELECT delivery_id, id, coalesce(tenant_id, client_id), callback_url, now(), traceparent FROM done WHERE callback_url IS NOT NULL
  )
  SELECT id, client_id AS "clientId", result, reply, callback_url AS "callbackUrl", now() AS "doneAt",
         CASE WHEN callback_url IS NULL THEN NULL ELSE delivery_id END AS "deliveryId"
  FROM done`;

/** Added to the expiry, so that a first delivery attempt within this time need not extend it. */
const FIRST_ATTEMPT_MARGIN = '1 minute';

const finishedChecks = z.array(
  z.object({
    id: z.uuid(),
    clientId: z.string(),
    result: checkResult,
    deliveryId: z.string().nullable(),
    reply: z.boolean(),
    callbackUrl: z.string().nullable(),
    doneAt: z.date(),
  }),
);
/** A check whose result this worker, and no other, has just written. */
export type FinishedCheck = z.infer<typeof finishedChecks>[number];

export interface CheckToFinish {
  readonly id: string;
  readonly result: CheckResult;
  /** Only where the caller asked for them. */
  readonly explanations: readonly TokenGatingExplanation[] | undefined;
  /** The trace in which the delivery continues. */
  readonly traceparent: string | undefined;
}

/**
 * Fences concurrent workers: only the first to finish a check writes its result, and its delivery in the same statement.
 * Later results are discarded.
 */
export async function finishChecks(
  db: Queryable,
  results: readonly CheckToFinish[],
  retentionMs: number,
): Promise<FinishedCheck[]> {
  const columns = [
    results.map(({ id }) => id),
    results.map(({ result }) => toStoredJson(result)),
    results.map(({ id }) => toDeliveryId(id)),
  ];
  const traceparents = results.map(({ traceparent }) => traceparent ?? null);
  const explanations = results.map((one) => (one.explanations ? toStoredJson(one.explanations) : null));
  const parameters = [...columns, retentionMs, FIRST_ATTEMPT_MARGIN, traceparents, explanations];
  return finishedChecks.parse(await queryRows(db, FINISH, parameters));
}

export interface PostponedCheck {
  readonly id: string;
  readonly delayMs: number;
  /** Whether reads have failed, instead of waiting for room. */
  readonly hasFailed: boolean;
  readonly retentionMs: number;
}

/** Keeps the sweeper from enqueueing the check again during the delay, and a check that waits for room from expiring. */
export async function postponeCheck(
  db: Queryable,
  { id, delayMs, hasFailed, retentionMs }: PostponedCheck,
): Promise<void> {
  const sql = `
    UPDATE token_gating.checks
    SET next_run_at = now() + $2 * interval '1 ms',
        failing_since = CASE WHEN $3 THEN coalesce(failing_since, now()) ELSE failing_since END,
        expires_at = greatest(expires_at, now() + $4 * interval '1 ms')
    WHERE id = $1 AND result IS NULL`;
  await queryRows(db, sql, [id, delayMs, hasFailed, retentionMs]);
}

const storedResults = z.array(
  z.object({
    result: checkResult.nullable(),
    callbackUrl: z.string().nullable(),
    /** For the caller that asked for them only, together with the account that was checked. */
    explanations: z.array(tokenGatingExplanation).nullish(),
    account: z.unknown().optional(),
  }),
);
/** `result` is null while the check is not finished. */
export type StoredCheckResult = z.infer<typeof storedResults>[number];

/** The caller that asks for a result: a client application, or a user of it. */
export interface CheckReader {
  readonly clientId: string;
  readonly userId: string | undefined;
}

/** Undefined for an unknown or expired check, for one of another client application, and for a user of another user. */
export async function findCheckResult(
  db: Queryable,
  id: string,
  { clientId, userId }: CheckReader,
): Promise<StoredCheckResult | undefined> {
  const sql = `
    SELECT result, callback_url AS "callbackUrl",
      CASE WHEN asker_user_id IS NOT DISTINCT FROM $3 THEN explanations END AS explanations,
      CASE WHEN explanations IS NOT NULL THEN request -> 'account' END AS account
    FROM token_gating.checks
    WHERE id = $1 AND client_id = $2 AND expires_at > now()
      AND ($3::text IS NULL OR coalesce(asker_user_id, $3) = $3)`;
  return storedResults.parse(await queryRows(db, sql, [id, clientId, userId ?? null]))[0];
}

/**
 * Deletes the explanations of checks of a user, which name the user's wallets. A check that runs meanwhile stores none, because it is asked for
 * none any more.
 */
export async function eraseExplanations(db: Queryable, userId: string): Promise<void> {
  const isOfUser = `(asker_user_id = $1 OR request ->> 'account' = $1)`;
  const unask = `
    UPDATE token_gating.checks SET request = request - 'explain' WHERE result IS NULL AND request ? 'explain' AND ${isOfUser}`;
  const erase = `
    UPDATE token_gating.checks SET explanations = NULL WHERE explanations IS NOT NULL AND ${isOfUser}`;
  for (const sql of [unask, erase]) await queryRows(db, sql, [userId]);
}

/** Postpones each claimed row, so that no other sweeper claims it until the new job has had time to run. */
export async function claimDueChecks(db: Queryable, leaseMs: number, limit: number): Promise<string[]> {
  const sql = `
    UPDATE token_gating.checks SET next_run_at = now() + $1 * interval '1 ms'
    WHERE id IN (
      SELECT id FROM token_gating.checks WHERE result IS NULL AND next_run_at <= now()
      ORDER BY next_run_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    RETURNING id`;
  return idRows.parse(await queryRows(db, sql, [leaseMs, limit]));
}

/** A result that was stored in another form fails alone. */
const replies = z.array(z.object({ id: z.string(), result: z.unknown() }));

/** Results that were due at the results queue `delayMs` ago and are not marked as replied. */
interface LateRepliesQuery {
  readonly delayMs: number;
  readonly limit: number;
  /** Checks whose replies have failed and are not to be tried yet. */
  readonly except: readonly string[];
}

export async function listLateReplies(db: Queryable, { delayMs, limit, except }: LateRepliesQuery) {
  const sql = `
    SELECT id, result FROM token_gating.checks
    WHERE reply AND replied_at IS NULL AND result IS NOT NULL AND done_at <= now() - $1 * interval '1 ms'
      AND id <> ALL($3::uuid[])
    ORDER BY done_at LIMIT $2`;
  return replies.parse(await queryRows(db, sql, [delayMs, limit, except]));
}

export async function markReplied(db: Queryable, ids: readonly string[]): Promise<void> {
  const sql = 'UPDATE token_gating.checks SET replied_at = now() WHERE id = ANY($1::uuid[])';
  await queryRows(db, sql, [ids]);
}

/**
 * Deletes expired checks with their deliveries. Those with a pending delivery are kept for 7 more days at most, because their
 * receiver may hang. @returns how many were deleted, at most `limit`
 */
export async function deleteExpiredChecks(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.checks WHERE id IN (
      SELECT id FROM token_gating.checks AS c
      WHERE expires_at <= now() AND (
        expires_at <= now() - interval '7 days'
        OR NOT EXISTS (SELECT FROM token_gating.deliveries AS d WHERE d.check_id = c.id AND d.state = 'pending')
      )
      LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id`;
  return (await queryRows(db, sql, [limit])).length;
}
