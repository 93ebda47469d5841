import { formatTimestampSql, queryRows } from '@app/database';
import type { CommunityStateRequest } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const time = z.iso.datetime();

const memberRoles = z.object({
  userId: z.string(),
  since: time,
  roles: z.array(z.object({ id: z.string(), since: time })),
});
export type MemberRoles = z.output<typeof memberRoles>;

const statePages = z.array(z.object({ at: time, members: z.array(memberRoles) })).max(1);

const LOAD_STATES = `
  SELECT ${formatTimestampSql('clock_timestamp()')} AS at, coalesce((
    SELECT json_agg(json_build_object(
      'userId', m.user_id, 'since', ${formatTimestampSql('m.joined_at')},
      'roles', coalesce((
        SELECT json_agg(json_build_object('id', a.role_id, 'since', ${formatTimestampSql('a.granted_at')}))
        FROM token_gating.role_assignments a WHERE a.community_id = c.id AND a.user_id = m.user_id
      ), '[]')
    ) ORDER BY m.user_id)
    FROM (
      SELECT user_id, joined_at FROM token_gating.community_members
      WHERE community_id = c.id AND ($2::text[] IS NULL OR user_id = ANY($2::text[]))
        AND ($3::text IS NULL OR user_id > $3)
      ORDER BY user_id LIMIT $4
    ) AS m
  ), '[]') AS members
  FROM token_gating.communities c WHERE c.id = $1`;

/**
 * What members have, in the order of user ids, and the time. The community must be locked.
 * @returns undefined for a community that does not exist
 */
export async function loadMemberStates(
  manager: EntityManager,
  { communityId, userIds, afterUserId }: CommunityStateRequest,
  limit: number,
) {
  const parameters = [communityId, userIds ?? null, afterUserId ?? null, limit];
  return statePages.parse(await queryRows(manager, LOAD_STATES, parameters))[0];
}
