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

const nameRows = z.array(
  z.object({ position: z.int(), community: z.string().nullable(), role: z.string().nullable() }),
);

/** The names of a community and a role today; undefined for what was deleted. */
export interface FactNames {
  readonly community: string | undefined;
  readonly role: string | undefined;
}

/** The names of communities and roles, in the order of `facts`. */
export async function findNames(
  db: Queryable,
  facts: readonly Omit<CommunityFact, 'userId'>[],
): Promise<FactNames[]> {
  if (facts.length === 0) return [];
  const sql = `
    SELECT fact.position::int, c.name AS community, r.name AS role
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS fact (community_id, role_id, position)
    LEFT JOIN token_gating.communities c ON c.id = fact.community_id
    LEFT JOIN token_gating.community_roles r ON r.community_id = c.id AND r.id = fact.role_id
    ORDER BY fact.position`;
  const columns = [facts.map(({ communityId }) => communityId), facts.map(({ roleId }) => roleId ?? null)];
  return nameRows
    .parse(await queryRows(db, sql, columns))
    .map(({ community, role }) => ({ community: community ?? undefined, role: role ?? undefined }));
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
