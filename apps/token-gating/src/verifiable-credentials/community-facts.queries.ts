import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** What a credential about a community says of a user. */
export interface CommunityFact {
  readonly userId: string;
  readonly communityId: string;
  /** Undefined for a membership. */
  readonly roleId: string | undefined;
}

const nameRows = z.array(z.object({ community: z.string(), role: z.string().nullable() })).max(1);

/** The names of a community and a role today; undefined for a deleted community. */
export async function findNames(
  db: Queryable,
  { communityId, roleId }: Omit<CommunityFact, 'userId'>,
): Promise<{ community: string; role: string | undefined } | undefined> {
  const sql = `
    SELECT c.name AS community, r.name AS role FROM token_gating.communities c
    LEFT JOIN token_gating.community_roles r ON r.community_id = c.id AND r.id = $2 WHERE c.id = $1`;
  const [found] = nameRows.parse(await queryRows(db, sql, [communityId, roleId ?? null]));
  return found && { community: found.community, role: found.role ?? undefined };
}

/** Whether the user is a member, and has the role, of a community that is not suspended. */
export async function isTrueNow(
  db: Queryable,
  { userId, communityId, roleId }: CommunityFact,
): Promise<boolean> {
  const sql = `
    SELECT FROM token_gating.communities c
    JOIN token_gating.community_members m ON m.community_id = c.id AND m.user_id = $2
    WHERE c.id = $1 AND c.suspended_at IS NULL AND ($3::text IS NULL OR EXISTS (
      SELECT FROM token_gating.role_assignments a WHERE a.community_id = c.id AND a.user_id = $2 AND a.role_id = $3))`;
  return (await queryRows(db, sql, [communityId, userId, roleId ?? null])).length > 0;
}

/**
 * Keeps the membership and the role until the transaction ends, so that who ends one of them afterwards finds the credential. Locks
 * in the order in which members leave.
 * @returns whether the fact is true
 */
export async function lockFact(manager: EntityManager, fact: CommunityFact): Promise<boolean> {
  const { userId, communityId, roleId } = fact;
  const community = 'SELECT FROM token_gating.communities WHERE id = $1 FOR KEY SHARE';
  await queryRows(manager, community, [communityId]);
  const member = `
    SELECT FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2 FOR KEY SHARE`;
  await queryRows(manager, member, [communityId, userId]);
  const assignment = `
    SELECT FROM token_gating.role_assignments WHERE community_id = $1 AND user_id = $2 AND role_id = $3 FOR KEY SHARE`;
  await queryRows(manager, assignment, [communityId, userId, roleId ?? null]);
  return isTrueNow(manager, fact);
}
