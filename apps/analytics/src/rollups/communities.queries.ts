import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/**
 * Locks the rows of communities until the transaction ends, and creates those that are missing. All transactions that change
 * numbers do this in one order, so that they wait for each other and never form a deadlock. They insert their events before, in one
 * order as well, so that a transaction that holds these locks never waits for an event of another one.
 */
export async function lockCommunities(
  manager: EntityManager,
  communities: readonly { readonly communityId: string; readonly firstEventAt: string }[],
): Promise<void> {
  await queryRows(
    manager,
    `INSERT INTO analytics.communities AS c (community_id, first_event_at)
     SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS n (community_id, first_event_at)
     ORDER BY community_id
     ON CONFLICT (community_id) DO UPDATE SET first_event_at = least(c.first_event_at, excluded.first_event_at)`,
    [communities.map(({ communityId }) => communityId), communities.map(({ firstEventAt }) => firstEventAt)],
  );
}

/** Creates the row if it is missing, so that events that are stored at the same time wait. The purge deletes it last. */
export const lockCommunityForPurge = (manager: EntityManager, communityId: string): Promise<void> =>
  lockCommunities(manager, [{ communityId, firstEventAt: new Date().toISOString() }]);

/** Locks a community that has numbers. @returns whether there is one */
export async function lockKnownCommunity(manager: EntityManager, communityId: string): Promise<boolean> {
  const sql = 'SELECT FROM analytics.communities WHERE community_id = $1 FOR UPDATE';
  return (await queryRows(manager, sql, [communityId])).length > 0;
}

const firstEvents = z.array(z.object({ firstEventAt: z.date() })).max(1);

/** Undefined for a community without events. */
export async function findFirstEventTime(db: Queryable, communityId: string): Promise<Date | undefined> {
  const sql = 'SELECT first_event_at AS "firstEventAt" FROM analytics.communities WHERE community_id = $1';
  return firstEvents.parse(await queryRows(db, sql, [communityId]))[0]?.firstEventAt;
}

/** Deletes at most `limit` rows of each table of numbers. @returns whether a table may have more */
export async function deleteNumbers(
  manager: EntityManager,
  communityId: string,
  limit: number,
): Promise<boolean> {
  let hasMore = false;
  for (const table of ['state_intervals', 'event_counts', 'user_sketches', 'communities']) {
    const sql = `
      DELETE FROM analytics.${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM analytics.${table} WHERE community_id = $1 LIMIT $2
      ))
      RETURNING 1`;
    hasMore ||= (await queryRows(manager, sql, [communityId, limit])).length === limit;
  }
  return hasMore;
}
