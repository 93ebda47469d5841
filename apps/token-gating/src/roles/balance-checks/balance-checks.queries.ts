import { DAY_MS } from '@app/common';
import { type Queryable, queryRows, RowQueue } from '@app/database';
import type { PageCursor } from '@app/service';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { MemberCursor } from '../../communities/members/community-members.queries.js';
import { lockAssignmentsShared } from '../../communities/roles/role-assignments.queries.js';
import { type BalanceCheck, balanceCheck } from './balance-check.dto.js';

const RESPONSE_COLUMNS = `id, community_id AS "communityId", reason, state, total, done, changed, failed,
  created_at AS "createdTime", finished_at AS "finishedTime"`;

const isoTime = z.date().transform((date) => date.toISOString());
const responseRow = balanceCheck.extend({
  createdTime: isoTime,
  finishedTime: isoTime.nullable().transform((time) => time ?? undefined),
});
const responseRows = z.array(responseRow);
const sortedRows = z.array(responseRow.extend({ sortTime: z.string() }));

export async function findBalanceCheck(
  db: Queryable,
  communityId: string,
  id: string,
): Promise<BalanceCheck | undefined> {
  const sql = `
    SELECT ${RESPONSE_COLUMNS} FROM token_gating.balance_checks WHERE community_id = $1 AND id = $2`;
  return responseRows.parse(await queryRows(db, sql, [communityId, id]))[0];
}

const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Newest first. The sort time is text, because a Date loses its microseconds. */
export async function listBalanceChecks(
  db: Queryable,
  communityId: string,
  { after: [sortTime, id] = [], rowLimit }: PageCursor,
) {
  const sql = `
    SELECT ${RESPONSE_COLUMNS}, created_at::text AS "sortTime" FROM token_gating.balance_checks
    WHERE community_id = $1 AND (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, $5))
    ORDER BY created_at DESC, id DESC LIMIT $2`;
  const parameters = [communityId, rowLimit, sortTime ?? null, id ?? null, MAX_UUID];
  return sortedRows.parse(await queryRows(db, sql, parameters));
}

/** Finds the one check of a community that is running. */
export async function findUnfinishedBalanceCheck(
  db: Queryable,
  communityId: string,
): Promise<BalanceCheck | undefined> {
  const sql = `
    SELECT ${RESPONSE_COLUMNS} FROM token_gating.balance_checks WHERE community_id = $1 AND state = 'running'`;
  return responseRows.parse(await queryRows(db, sql, [communityId]))[0];
}

const cooldowns = z.array(z.object({ seconds: z.int() }));

/**
 * @param limit how many checks may be requested within the cooldown
 * @returns seconds until the next check may be requested; undefined when it may be requested now
 */
export async function findCooldown(
  db: Queryable,
  communityId: string,
  cooldownMs: number,
  limit = 1,
): Promise<number | undefined> {
  const sql = `
    SELECT ceil(extract(epoch FROM created_at - clock_timestamp()) + $2::float8 / 1000)::int AS seconds
    FROM token_gating.balance_checks
    WHERE community_id = $1 AND reason = 'requested' AND created_at > clock_timestamp() - $2 * interval '1 ms'
    ORDER BY created_at DESC LIMIT 1 OFFSET $3`;
  return cooldowns.parse(await queryRows(db, sql, [communityId, cooldownMs, limit - 1]))[0]?.seconds;
}

/**
 * Inserts a requested check. @param leaseMs time for its job to run, before the sweeper enqueues it again
 * @returns undefined where the community does not exist
 */
export async function insertBalanceCheck(
  manager: EntityManager,
  id: string,
  communityId: string,
  leaseMs: number,
): Promise<BalanceCheck | undefined> {
  const sql = `
    INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
    SELECT $2, id, 'requested', rules_revision, member_count, clock_timestamp() + $3 * interval '1 ms'
    FROM token_gating.communities WHERE id = $1
    RETURNING ${RESPONSE_COLUMNS}`;
  return responseRows.parse(await queryRows(manager, sql, [communityId, id, leaseMs]))[0];
}

const runningChecks = z
  .array(
    z
      .object({
        id: z.uuid(),
        communityId: z.string(),
        /** The owner of the community: the tenant whose share of the nodes the check uses. */
        ownerId: z.string(),
        isWithoutApplication: z.boolean(),
        /** The revision that this check uses. */
        rulesRevision: z.int(),
        /** The revision of the community now. */
        currentRevision: z.int(),
        /** Rules as administrators wrote them. */
        rules: z.unknown(),
        startedAt: z.string(),
        afterJoinedAt: z.string().nullable(),
        afterUserId: z.string().nullable(),
        turn: z.int(),
        retries: z.int(),
      })
      .transform(({ afterJoinedAt, afterUserId, ...check }) => ({
        ...check,
        after:
          afterJoinedAt === null || afterUserId === null
            ? undefined
            : { joinedAt: afterJoinedAt, userId: afterUserId },
      })),
  )
  .max(1);
/** An unfinished check. `after` is the last member that was checked. */
export type RunningBalanceCheck = Readonly<z.output<typeof runningChecks>[number]>;

/** @returns undefined where the check is finished or deleted, or its community is suspended: the check waits */
export async function loadRunningCheck(db: Queryable, id: string): Promise<RunningBalanceCheck | undefined> {
  const sql = `
    SELECT b.id, b.community_id AS "communityId", c.owner_id AS "ownerId",
      c.without_application AS "isWithoutApplication", b.rules_revision AS "rulesRevision",
      c.rules_revision AS "currentRevision", c.rules, b.started_at::text AS "startedAt",
      b.after_joined_at::text AS "afterJoinedAt", b.after_user_id AS "afterUserId", b.turn, b.retries
    FROM token_gating.balance_checks b JOIN token_gating.communities c ON c.id = b.community_id
    WHERE b.id = $1 AND b.state = 'running' AND c.suspended_at IS NULL`;
  return runningChecks.parse(await queryRows(db, sql, [id]))[0];
}

/** Fences a write by $1 to $5: another worker may have moved the check since it was loaded. */
const FENCE = `id = $1 AND state = 'running' AND rules_revision = $2 AND turn = $3
  AND after_joined_at IS NOT DISTINCT FROM $4::timestamptz AND after_user_id IS NOT DISTINCT FROM $5`;

const toFenceParameters = ({ id, rulesRevision, turn, after }: RunningBalanceCheck): unknown[] => [
  id,
  rulesRevision,
  turn,
  after?.joinedAt ?? null,
  after?.userId ?? null,
];

/** Restarts a check at the first member with the current rules. @returns false where another worker has moved it */
export async function restartCheck(
  db: Queryable,
  { id, rulesRevision, turn }: RunningBalanceCheck,
  leaseMs: number,
): Promise<boolean> {
  const sql = `
    UPDATE token_gating.balance_checks b
    SET rules_revision = c.rules_revision, total = c.member_count, done = 0, failed = 0, retries = 0,
      has_given_up = false, after_joined_at = NULL, after_user_id = NULL, started_at = clock_timestamp(),
      turn = b.turn + 1, next_run_at = clock_timestamp() + $4 * interval '1 ms'
    FROM token_gating.communities c
    WHERE c.id = b.community_id AND b.id = $1 AND b.state = 'running' AND b.rules_revision = $2 AND b.turn = $3
      AND c.rules_revision <> $2
    RETURNING b.id`;
  return (await queryRows(db, sql, [id, rulesRevision, turn, leaseMs])).length > 0;
}

/** The result of a page of members. */
export interface PageProgress {
  readonly members: number;
  readonly changed: number;
  readonly failed: number;
  /** The last member of the page. */
  readonly end: MemberCursor | undefined;
  /** Whether undetermined roles are no longer retried. */
  readonly hasGivenUp: boolean;
  readonly endsTurn: boolean;
  readonly endsCheck: boolean;
}

/** Moves a check past a page, in the transaction that stores the roles. @returns false where another worker has moved it */
export async function advanceCheck(
  manager: EntityManager,
  check: RunningBalanceCheck,
  { members, changed, failed, end, hasGivenUp, endsTurn, endsCheck }: PageProgress,
  leaseMs: number,
): Promise<boolean> {
  const sql = `
    UPDATE token_gating.balance_checks
    SET done = done + $6, changed = changed + $7, failed = failed + $8,
      after_joined_at = coalesce($9::timestamptz, after_joined_at), after_user_id = coalesce($10, after_user_id),
      retries = greatest(0, retries - CASE WHEN $11 THEN 0 ELSE 1 END), has_given_up = has_given_up OR $11,
      turn = turn + CASE WHEN $12 THEN 1 ELSE 0 END,
      state = CASE WHEN $13 THEN 'done' ELSE state END,
      finished_at = CASE WHEN $13 THEN clock_timestamp() END,
      next_run_at = clock_timestamp() + $14 * interval '1 ms'
    WHERE ${FENCE} RETURNING id`;
  const counts = [members, changed, failed];
  const cursor = [end?.joinedAt ?? null, end?.userId ?? null];
  const parameters = [...counts, ...cursor, hasGivenUp, endsTurn, endsCheck, leaseMs];
  return (await queryRows(manager, sql, [...toFenceParameters(check), ...parameters])).length > 0;
}

/** Keeps the sweeper from enqueueing the check for `delayMs`. @param countsAsRetry whether to count it as a retry */
export async function postponeCheck(
  db: Queryable,
  check: RunningBalanceCheck,
  { delayMs, countsAsRetry }: { delayMs: number; countsAsRetry: boolean },
): Promise<void> {
  const sql = `
    UPDATE token_gating.balance_checks
    SET retries = retries + $6, next_run_at = clock_timestamp() + $7 * interval '1 ms' WHERE ${FENCE}`;
  await queryRows(db, sql, [...toFenceParameters(check), countsAsRetry ? 1 : 0, delayMs]);
}

/** Ends a check; the remaining members count as failed. Does nothing where the rules have changed: it has to restart. */
export async function abortCheck(manager: EntityManager, check: RunningBalanceCheck): Promise<void> {
  await lockAssignmentsShared(manager, check.communityId);
  const sql = `
    UPDATE token_gating.balance_checks
    SET state = 'done', finished_at = clock_timestamp(),
      failed = failed + greatest(0, total - done), done = greatest(total, done)
    WHERE ${FENCE} AND EXISTS (
      SELECT FROM token_gating.communities WHERE id = community_id AND rules_revision = $2)`;
  await queryRows(manager, sql, toFenceParameters(check));
}

/** Shortens the time until the next check to a quarter where a finished check has given up on undetermined roles. */
export async function scheduleEarlierAfterFailures(db: Queryable, id: string): Promise<void> {
  const sql = `
    UPDATE token_gating.communities c SET next_check_at = now() + (c.next_check_at - now()) / 4
    FROM token_gating.balance_checks b
    WHERE b.id = $1 AND b.has_given_up AND c.id = b.community_id AND c.next_check_at > now()`;
  await queryRows(db, sql, [id]);
}

const dueChecks = z.array(z.object({ id: z.uuid(), turn: z.int() }));

const queue = new RowQueue({
  table: 'token_gating.balance_checks',
  dueAt: 'next_run_at',
  isWaiting: "state = 'running'",
});

/** Claims running checks whose jobs are overdue: each is due again after `leaseMs`. */
export async function claimDueChecks(db: Queryable, leaseMs: number, limit: number) {
  return dueChecks.parse(await queue.claim(db, { limit, leaseMs, columns: 'id, turn' }));
}

/** @returns how many checks were deleted, at most `limit` */
export async function deleteOldChecks(db: Queryable, retentionMs: number, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.balance_checks WHERE id IN (
      SELECT id FROM token_gating.balance_checks
      WHERE state = 'done' AND finished_at <= now() - $1 * interval '1 ms'
      ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    RETURNING id`;
  return (await queryRows(db, sql, [retentionMs, limit])).length;
}

const CLAIM_DUE_COMMUNITIES = `
  WITH due AS (
    SELECT id, (
      SELECT max(created_at) + $4 * interval '1 ms' FROM token_gating.balance_checks b WHERE b.community_id = c.id
    ) AS not_before, EXISTS (
      SELECT FROM token_gating.balance_checks b WHERE b.community_id = c.id AND b.state = 'running'
    ) AS is_running
    FROM token_gating.communities c WHERE next_check_at <= now() AND suspended_at IS NULL
    ORDER BY next_check_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE token_gating.communities c
    SET next_check_at = CASE WHEN due.not_before > now() AND NOT due.is_running THEN due.not_before
      ELSE clock_timestamp() + CASE WHEN c.without_application THEN $5::float8 ELSE $2::float8 END
        * (0.9 + 0.2 * random()) * interval '1 ms' END
    FROM due WHERE c.id = due.id
    RETURNING c.id, c.without_application, c.rules, c.rules_revision, c.member_count, due.not_before
  ), inserted AS (
    INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
    SELECT gen_random_uuid(), id, 'scheduled', rules_revision, member_count, clock_timestamp() + $3 * interval '1 ms'
    FROM claimed
    WHERE coalesce(not_before <= now(), true) AND member_count > 0 AND (rules <> '[]' OR EXISTS (
      SELECT FROM token_gating.role_assignments a WHERE a.community_id = claimed.id))
    ON CONFLICT (community_id) WHERE state = 'running' DO NOTHING
    RETURNING id, community_id
  )
  SELECT claimed.id, claimed.without_application AS "isWithoutApplication", inserted.id AS "checkId",
    ARRAY(SELECT client_id FROM token_gating.community_clients k WHERE k.community_id = claimed.id) AS "clientIds"
  FROM claimed LEFT JOIN inserted ON inserted.community_id = claimed.id`;

const dueCommunities = z.array(
  z.object({
    id: z.string(),
    isWithoutApplication: z.boolean(),
    checkId: z.uuid().nullable(),
    clientIds: z.array(z.string()),
  }),
);
export type DueCommunity = z.output<typeof dueCommunities>[number];

/**
 * Claims communities whose check is due, and inserts the checks in the same statement.
 * - The next check is due after `intervalMs` ±10 %, which spreads communities that were created together; without an approved
 *   client application it is due after a day.
 * - `cooldownMs` after a check has started, a finished one is not followed by another, so that frequent rule changes are
 *   bounded. A running check needs no new one: it notices changed rules.
 * - A community without members, or without rules and assignments, gets no check.
 */
export async function claimDueCommunities(
  db: Queryable,
  {
    limit,
    intervalMs,
    leaseMs,
    cooldownMs,
  }: Record<'limit' | 'intervalMs' | 'leaseMs' | 'cooldownMs', number>,
): Promise<DueCommunity[]> {
  const parameters = [limit, intervalMs, leaseMs, cooldownMs, DAY_MS];
  return dueCommunities.parse(await queryRows(db, CLAIM_DUE_COMMUNITIES, parameters));
}
