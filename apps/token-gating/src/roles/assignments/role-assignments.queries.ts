import { formatTimestampSql } from '@app/database';
import { z } from 'zod';

/**
 * Locks those of the users ($2) that are members of the community ($1), in one order, whoever else stores. Of those whose
 * roles could be told ($3) it claims the ones of whom nothing later is stored: they stand as of $4 from now on. Who was told
 * nothing about keeps their time, because whoever knows more, and began earlier, must still be able to store it.
 */
export const CLAIM_MEMBERS = `
  WITH present AS (
    SELECT user_id, user_id = ANY($3::text[]) AS is_told,
      evaluated_at IS NULL OR evaluated_at <= $4::timestamptz AS is_newest
    FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = ANY($2::text[])
    ORDER BY user_id FOR UPDATE
  ), claimed AS (
    UPDATE token_gating.community_members AS m SET evaluated_at = $4::timestamptz
    FROM present p WHERE m.community_id = $1 AND m.user_id = p.user_id AND p.is_told AND p.is_newest
  )
  SELECT user_id AS "userId", is_told AND NOT is_newest AS "isOvertaken" FROM present`;

/** A user who is still a member, and whether something later is stored of them. */
export const presentMember = z.object({ userId: z.string(), isOvertaken: z.boolean() });

/**
 * Gives members ($2) the roles they were found to have ($3, $4) and takes all others, except those of which nothing could
 * be told ($5, $6). Roles that the community ($1) has no more are given to nobody. What changes is returned with the time
 * it changed at, in UTC at microseconds: later than every earlier change, because the members are locked.
 */
export const ASSIGN_ROLES = `
  WITH granted AS (
    SELECT * FROM unnest($3::text[], $4::text[]) AS granted (user_id, role_id)
  ), unknown AS (
    SELECT * FROM unnest($5::text[], $6::text[]) AS unknown (user_id, role_id)
  ), taken AS (
    DELETE FROM token_gating.role_assignments AS a
    WHERE a.community_id = $1 AND a.user_id = ANY($2::text[])
      AND NOT EXISTS (SELECT FROM granted g WHERE g.user_id = a.user_id AND g.role_id = a.role_id)
      AND NOT EXISTS (SELECT FROM unknown u WHERE u.user_id = a.user_id AND u.role_id = a.role_id)
    RETURNING a.user_id, a.role_id, clock_timestamp() AS at
  ), given AS (
    INSERT INTO token_gating.role_assignments (community_id, user_id, role_id)
    SELECT r.community_id, g.user_id, r.id FROM granted g
    JOIN token_gating.community_roles r ON r.community_id = $1 AND r.id = g.role_id
    ON CONFLICT DO NOTHING
    RETURNING user_id, role_id, granted_at AS at
  ), changed AS (
    SELECT 'role.revoked' AS type, * FROM taken UNION ALL SELECT 'role.granted', * FROM given
  )
  SELECT type, user_id AS "userId", role_id AS "roleId",
    ${formatTimestampSql('at')} AS at
  FROM changed ORDER BY at`;

export const assignmentChange = z.object({
  type: z.enum(['role.granted', 'role.revoked']),
  userId: z.string(),
  roleId: z.string(),
  at: z.iso.datetime(),
});
export type AssignmentChange = z.infer<typeof assignmentChange>;
