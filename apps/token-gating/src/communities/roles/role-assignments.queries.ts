import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { EVENT_TIME_SQL } from '../events/create-community-event.js';

// An advisory lock, because shared row locks starve an exclusive one: PostgreSQL lets later shared lockers pass it.
const LOCK_KEY = `hashtextextended('gatehouse roles of ' || $1, 0)`;

/**
 * Held while roles are stored, so that the rules and roles of the community cannot change. Take it before any row lock and
 * in its own statement: only later statements see what was committed before the lock.
 */
export async function lockAssignmentsShared(manager: EntityManager, communityId: string): Promise<void> {
  await queryRows(manager, `SELECT pg_advisory_xact_lock_shared(${LOCK_KEY})`, [communityId]);
}

/** Held while rules or roles change, so that no roles are stored. Take it before any row lock. */
export async function lockAssignmentsExclusive(manager: EntityManager, communityId: string): Promise<void> {
  await queryRows(manager, `SELECT pg_advisory_xact_lock(${LOCK_KEY})`, [communityId]);
}

/** Pairs of a user and a role as two parallel arrays, which is how a statement takes them. */
interface AssignmentColumns {
  readonly userIds: string[];
  readonly roleIds: string[];
}

/** What one statement stores: the users, the roles that each is granted, and those that are undetermined. */
export interface AssignmentBatch {
  readonly userIds: string[];
  readonly granted: AssignmentColumns;
  readonly undetermined: AssignmentColumns;
}

const assignmentChanges = z.array(
  z.object({
    type: z.enum(['role.granted', 'role.revoked']),
    userId: z.string(),
    roleId: z.string(),
    at: z.iso.datetime(),
  }),
);
export type AssignmentChange = z.infer<typeof assignmentChanges>[number];

const ASSIGN_ROLES = `
  WITH granted AS (
    SELECT * FROM unnest($3::text[], $4::text[]) AS granted (user_id, role_id)
  ), undetermined AS (
    SELECT * FROM unnest($5::text[], $6::text[]) AS undetermined (user_id, role_id)
  ), deleted AS (
    DELETE FROM token_gating.role_assignments AS a
    WHERE a.community_id = $1 AND a.user_id = ANY($2::text[])
      AND NOT EXISTS (SELECT FROM granted g WHERE g.user_id = a.user_id AND g.role_id = a.role_id)
      AND NOT EXISTS (SELECT FROM undetermined u WHERE u.user_id = a.user_id AND u.role_id = a.role_id)
    RETURNING a.user_id, a.role_id, a.granted_at, clock_timestamp() AS at
  ), lost AS (
    INSERT INTO token_gating.lost_roles (community_id, user_id, role_id, granted_at, lost_at)
    SELECT $1, user_id, role_id, granted_at, at FROM deleted
    ON CONFLICT (community_id, user_id, role_id) DO UPDATE SET granted_at = excluded.granted_at, lost_at = excluded.lost_at
  ), inserted AS (
    INSERT INTO token_gating.role_assignments (community_id, user_id, role_id)
    SELECT r.community_id, g.user_id, r.id FROM granted g
    JOIN token_gating.community_roles r ON r.community_id = $1 AND r.id = g.role_id
    ON CONFLICT DO NOTHING
    RETURNING user_id, role_id, granted_at AS at
  ), changed AS (
    SELECT 'role.revoked' AS type, user_id, role_id, at FROM deleted
    UNION ALL SELECT 'role.granted', user_id, role_id, at FROM inserted
  )
  SELECT type, user_id AS "userId", role_id AS "roleId",
    ${formatTimestampSql('at')} AS at
  FROM changed ORDER BY at`;

/**
 * Grants the given roles to members and revokes all others, except those that are undetermined. Ignores roles that the
 * community no longer has. The members must be locked, which makes each change later than all earlier ones.
 */
export async function assignRoles(
  manager: EntityManager,
  communityId: string,
  { userIds, granted, undetermined }: AssignmentBatch,
): Promise<AssignmentChange[]> {
  const grantedColumns = [granted.userIds, granted.roleIds];
  const undeterminedColumns = [undetermined.userIds, undetermined.roleIds];
  const parameters = [communityId, userIds, ...grantedColumns, ...undeterminedColumns];
  return assignmentChanges.parse(await queryRows(manager, ASSIGN_ROLES, parameters));
}

const roleTimes = z.array(z.object({ roleId: z.string(), gainedAt: z.date(), lostAt: z.date().nullable() }));

/** When a member gained each role that is held, or was held last, and when it was lost last. */
export async function loadRoleTimes(db: Queryable, communityId: string, userId: string) {
  const sql = `
    WITH held AS (
      SELECT role_id, granted_at FROM token_gating.role_assignments WHERE community_id = $1 AND user_id = $2
    ), lost AS (
      SELECT l.role_id, l.granted_at, l.lost_at FROM token_gating.lost_roles l
      JOIN token_gating.community_roles r ON r.community_id = l.community_id AND r.id = l.role_id
      WHERE l.community_id = $1 AND l.user_id = $2 AND l.lost_at >= r.created_at
    )
    SELECT role_id AS "roleId", coalesce(held.granted_at, lost.granted_at) AS "gainedAt", lost_at AS "lostAt"
    FROM held FULL JOIN lost USING (role_id) ORDER BY role_id`;
  return roleTimes.parse(await queryRows(db, sql, [communityId, userId]));
}

const revokedRoles = z.array(z.object({ roleId: z.string() }));

/** @returns the ids of the roles that the member held */
export async function revokeRolesOfMember(
  manager: EntityManager,
  communityId: string,
  userId: string,
): Promise<string[]> {
  const sql = `
    DELETE FROM token_gating.role_assignments WHERE community_id = $1 AND user_id = $2
    RETURNING role_id AS "roleId"`;
  return revokedRoles.parse(await queryRows(manager, sql, [communityId, userId])).map(({ roleId }) => roleId);
}

const revokedMembers = z.array(z.object({ userId: z.string(), at: z.string() }));

/** Revokes a role from at most `limit` members. @returns them, with the time of the change */
export async function revokeRole(manager: EntityManager, communityId: string, roleId: string, limit: number) {
  const sql = `
    DELETE FROM token_gating.role_assignments
    WHERE community_id = $1 AND role_id = $2 AND user_id = ANY(ARRAY(
      SELECT user_id FROM token_gating.role_assignments
      WHERE community_id = $1 AND role_id = $2 LIMIT $3))
    RETURNING user_id AS "userId", ${EVENT_TIME_SQL} AS at`;
  return revokedMembers.parse(await queryRows(manager, sql, [communityId, roleId, limit]));
}

/** @returns how many rows were deleted, at most `limit` */
export async function deleteAssignments(
  manager: EntityManager,
  communityId: string,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM token_gating.role_assignments WHERE community_id = $1 AND (user_id, role_id) IN (
      SELECT user_id, role_id FROM token_gating.role_assignments WHERE community_id = $1
      ORDER BY user_id, role_id LIMIT $2
    ) RETURNING user_id`;
  return (await queryRows(manager, sql, [communityId, limit])).length;
}
