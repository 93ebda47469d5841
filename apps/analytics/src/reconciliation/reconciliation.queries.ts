import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { StateKind } from '../rollups/state-intervals.queries.js';

const INTERVAL = '24 hours';

const communityIds = z.array(z.object({ id: z.string() })).max(1);

/** A community that is due, which is due again after a day. Each instance gets another one. */
export async function claimCommunity(db: Queryable): Promise<string | undefined> {
  const sql = `
    UPDATE analytics.communities SET reconcile_at = now() + interval '${INTERVAL}' WHERE community_id = (
      SELECT community_id FROM analytics.communities WHERE reconcile_at <= now()
      ORDER BY reconcile_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING community_id AS id`;
  return communityIds.parse(await queryRows(db, sql))[0]?.id;
}

const KINDS: readonly StateKind[] = ['membership', 'role', 'wallet'];

const userIds = z.array(z.object({ userId: z.string() }));

/** The users who have a state in a community, in the order of their ids. @param after empty for the first ones */
export async function listUsersWithStates(
  db: Queryable,
  communityId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const ofKind = (kind: StateKind): string => `
    (SELECT DISTINCT user_id FROM analytics.state_intervals
     WHERE community_id = $1 AND kind = '${kind}' AND user_id > $2 AND NOT ended AND until_at = 'infinity'
     ORDER BY user_id LIMIT $3)`;
  const sql = `
    SELECT user_id AS "userId" FROM (${KINDS.map(ofKind).join(' UNION ')}) AS found ORDER BY user_id LIMIT $3`;
  const rows = userIds.parse(await queryRows(db, sql, [communityId, after, limit]));
  return rows.map(({ userId }) => userId);
}

const states = z.array(
  z.object({
    userId: z.string(),
    kind: z.enum(KINDS),
    key: z.string(),
    isHeld: z.boolean(),
    /** Whether nothing has changed for a while before the time, nor since. */
    isSettled: z.boolean(),
  }),
);
export type KnownState = z.output<typeof states>[number];

const FIND_STATES = `
  SELECT user_id AS "userId", kind, key,
    coalesce(bool_or(NOT ended) FILTER (WHERE from_at <= $3::timestamptz), false) AS "isHeld",
    max(from_at) < $3::timestamptz - $4 * interval '1 second' AS "isSettled"
  FROM analytics.state_intervals
  WHERE community_id = $1 AND kind = ANY($5::text[]) AND user_id = ANY($2::text[]) AND until_at > $3::timestamptz
  GROUP BY user_id, kind, key`;

/** What users have at a time, and had before. The community must be locked. */
export async function findStates(
  manager: EntityManager,
  { communityId, userIds: ids, at }: { communityId: string; userIds: readonly string[]; at: string },
  settleSeconds: number,
): Promise<KnownState[]> {
  const parameters = [communityId, ids, at, settleSeconds, KINDS];
  return states.parse(await queryRows(manager, FIND_STATES, parameters));
}
