import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { CommunitySummary } from '../access/community-record.js';

/** The invitation revision of rows that bar nobody: invitations are counted from 0. */
const NO_INVITATION = -1;

/**
 * Records how a membership ended, and of a member whom a manager removed the invitation that the member may know: only the visibility
 * `members` has invitations. An earlier bar stays. The name is what the member could read.
 */
export async function recordDeparture(
  manager: EntityManager,
  communityId: string,
  userId: string,
  how: 'left' | 'removed',
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.removed_members AS former
      (community_id, user_id, invitation_revision, ended_at, has_left, community_name)
    SELECT id, $2, CASE WHEN visibility = 'members' AND NOT $3::boolean THEN invitation_revision ELSE ${NO_INVITATION} END,
      now(), $3::boolean, CASE WHEN visibility <> 'hidden' AND suspended_at IS NULL THEN name END
    FROM token_gating.communities WHERE id = $1
    ON CONFLICT (community_id, user_id) DO UPDATE SET
      invitation_revision = greatest(former.invitation_revision, excluded.invitation_revision),
      ended_at = excluded.ended_at, has_left = excluded.has_left, community_name = excluded.community_name`;
  await queryRows(manager, sql, [communityId, userId, how === 'left']);
}

const departures = z
  .array(
    z.object({
      hasLeft: z.boolean(),
      endedAt: z.date().nullable(),
      name: z.string().nullable(),
      isPublic: z.boolean(),
    }),
  )
  .max(1);

/** How the user's membership ended. @returns undefined for members, for users who never were, and where there is no such community */
export async function findDeparture(db: Queryable, communityId: string, userId: string) {
  const sql = `
    SELECT former.has_left AS "hasLeft", former.ended_at AS "endedAt", former.community_name AS name,
      c.visibility = 'public' AND c.suspended_at IS NULL AS "isPublic"
    FROM token_gating.removed_members former JOIN token_gating.communities c ON c.id = former.community_id
    WHERE former.community_id = $1 AND former.user_id = $2 AND NOT EXISTS (
      SELECT FROM token_gating.community_members m WHERE m.community_id = $1 AND m.user_id = $2)`;
  return departures.parse(await queryRows(db, sql, [communityId, userId]))[0];
}

/** Deletes what is kept of an erased user but the bars, so that an old invitation does not let the user in again. */
export async function eraseDepartures(db: Queryable, userId: string): Promise<void> {
  const sql = `
    WITH barred AS (
      UPDATE token_gating.removed_members SET ended_at = NULL, community_name = NULL
      WHERE user_id = $1 AND invitation_revision <> ${NO_INVITATION}
    )
    DELETE FROM token_gating.removed_members WHERE user_id = $1 AND invitation_revision = ${NO_INVITATION}`;
  await queryRows(db, sql, [userId]);
}

/** Whether the user was removed as a member since the current invitation was created. */
export async function wasRemovedSince(
  db: Queryable,
  { id, invitationRevision }: Pick<CommunitySummary, 'id' | 'invitationRevision'>,
  userId: string,
): Promise<boolean> {
  const sql = `
    SELECT FROM token_gating.removed_members
    WHERE community_id = $1 AND user_id = $2 AND invitation_revision = $3`;
  return (await queryRows(db, sql, [id, userId, invitationRevision])).length > 0;
}

/** @returns how many rows were deleted, at most `limit` */
export async function deleteRemovals(
  manager: EntityManager,
  communityId: string,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM token_gating.removed_members WHERE community_id = $1 AND user_id IN (
      SELECT user_id FROM token_gating.removed_members WHERE community_id = $1 ORDER BY user_id LIMIT $2
    ) RETURNING user_id`;
  return (await queryRows(manager, sql, [communityId, limit])).length;
}
