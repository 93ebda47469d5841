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
