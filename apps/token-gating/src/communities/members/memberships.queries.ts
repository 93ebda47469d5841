import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

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
 * @param only lists this community alone
 */
export async function listMemberships(
  db: Queryable,
  userId: string,
  { joinedAt, communityId }: MembershipCursor,
  limit: number,
  only?: string,
): Promise<MembershipCursor[]> {
  const sql = `
    SELECT community_id AS "communityId", ${formatTimestampSql('joined_at')} AS "joinedAt" FROM token_gating.community_members m
    WHERE user_id = $1 AND (joined_at, community_id) > ($2::timestamptz, $3)
      AND ($5::text IS NULL OR community_id = $5)
      AND EXISTS (SELECT FROM token_gating.communities c WHERE c.id = m.community_id)
    ORDER BY joined_at, community_id LIMIT $4`;
  const parameters = [userId, joinedAt, communityId, limit, only ?? null];
  return memberships.parse(await queryRows(db, sql, parameters));
}

const currentMembers = z.array(z.object({ userId: z.string(), joinedAt: z.iso.datetime() }));

/** When users joined the community in which they are members now. Omits others. */
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
