import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import type { CommunitySummary } from '../access/community-record.js';

/** Records the invitation that a removed member may know. Only the visibility `members` has invitations. */
export async function recordRemoval(
  manager: EntityManager,
  communityId: string,
  userId: string,
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.removed_members (community_id, user_id, invitation_revision)
    SELECT id, $2, invitation_revision FROM token_gating.communities WHERE id = $1 AND visibility = 'members'
    ON CONFLICT (community_id, user_id) DO UPDATE SET invitation_revision = excluded.invitation_revision`;
  await queryRows(manager, sql, [communityId, userId]);
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
