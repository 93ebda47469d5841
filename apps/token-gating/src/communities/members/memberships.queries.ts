import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import { z } from 'zod';
import { selectMember } from './community-members.queries.js';

const memberships = z.array(
  z.object({
    communityId: z.string(),
    /** The time of the event `member.joined`. */
    joinedAt: z.iso.datetime(),
  }),
);
/** A community of a user, after which a page begins. */
export type MembershipCursor = z.infer<typeof memberships>[number];

export const FIRST_MEMBERSHIP_CURSOR: MembershipCursor = { communityId: '', joinedAt: '-infinity' };

/**
 * The communities of a user in the order of joining, without deleted ones whose members are not yet purged.
 * @param only lists this community alone, or those to which this client application is attached
 */
export async function listMemberships(
  db: Queryable,
  userId: string,
  { joinedAt, communityId }: MembershipCursor,
  limit: number,
  only: { readonly communityId?: string | undefined; readonly clientId?: string | undefined } = {},
): Promise<MembershipCursor[]> {
  const sql = `
    SELECT community_id AS "communityId", ${formatTimestampSql('joined_at')} AS "joinedAt" FROM token_gating.community_members m
    WHERE user_id = $1 AND (joined_at, community_id) > ($2::timestamptz, $3)
      AND ($5::text IS NULL OR community_id = $5)
      AND ($6::text IS NULL OR EXISTS (
        SELECT FROM token_gating.community_clients k WHERE k.community_id = m.community_id AND k.client_id = $6))
      AND EXISTS (SELECT FROM token_gating.communities c WHERE c.id = m.community_id)
    ORDER BY joined_at, community_id LIMIT $4`;
  const parameters = [userId, joinedAt, communityId, limit, only.communityId ?? null, only.clientId ?? null];
  return memberships.parse(await queryRows(db, sql, parameters));
}

const joinedCommunities = z.array(
  z.object({ id: z.string(), name: z.string().nullable(), roles: z.array(z.string()) }),
);

/**
 * What a user is a member of, in the order of joining, with the names of the roles that are stored for the user. Members see neither the name nor
 * the roles of a hidden or suspended community unless they run it.
 */
export async function listJoinedCommunities(db: Queryable, userId: string, limit: number) {
  const sql = `
    SELECT c.id, CASE WHEN seen.is_seen THEN c.name END AS name, ARRAY(
      SELECT r.name FROM token_gating.role_assignments a
      JOIN token_gating.community_roles r ON r.community_id = a.community_id AND r.id = a.role_id
      WHERE seen.is_seen AND a.community_id = c.id AND a.user_id = $1 ORDER BY r.position, r.id) AS roles
    FROM token_gating.community_members m JOIN token_gating.communities c ON c.id = m.community_id
    CROSS JOIN LATERAL (SELECT c.visibility <> 'hidden' AND c.suspended_at IS NULL OR EXISTS (
      SELECT FROM token_gating.community_administrators o WHERE o.community_id = c.id AND o.user_id = $1)) AS seen (is_seen)
    WHERE m.user_id = $1 ORDER BY m.joined_at, m.community_id LIMIT $2`;
  return joinedCommunities.parse(await queryRows(db, sql, [userId, limit]));
}

const currentMembers = z.array(z.object({ userId: z.string(), joinedAt: z.iso.datetime() }));

/** Finds out when users joined the community in which they are members now. Omits others. */
export async function findJoinTimes(
  db: Queryable,
  communityId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `
    SELECT user_id AS "userId", ${formatTimestampSql('joined_at')} AS "joinedAt" FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = ANY($2::text[])`;
  const rows = currentMembers.parse(await queryRows(db, sql, [communityId, userIds]));
  return new Map(rows.map(({ userId, joinedAt }) => [userId, joinedAt]));
}

const namedMembers = z.array(z.object({ id: z.string(), userId: z.string() }));

/**
 * The members with these ids: a user id or, where no member has this user id, an id on the user's platform, as findMember has
 * it. Two where it is ambiguous.
 */
export async function findMembersByIds(
  db: Queryable,
  communityId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const sql = `
    SELECT named.id, found.user_id AS "userId" FROM unnest($2::text[]) AS named (id) CROSS JOIN LATERAL (
      ${selectMember('$1', 'named.id')}
    ) AS found`;
  const members = new Map<string, string[]>();
  for (const { id, userId } of namedMembers.parse(await queryRows(db, sql, [communityId, ids])))
    members.set(id, [...(members.get(id) ?? []), userId]);
  return members;
}
