import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { EVENT_TIME_SQL } from '../events/create-community-event.js';

const deletions = z.tuple([z.object({ at: z.string() })]);

/** Deletes a community and records that its members and role assignments have to be purged. @returns the event time */
export async function deleteCommunity(manager: EntityManager, communityId: string): Promise<string> {
  const sql = `
    WITH deleted AS (DELETE FROM token_gating.communities WHERE id = $1 RETURNING id)
    INSERT INTO token_gating.deleted_communities (community_id) SELECT id FROM deleted
    RETURNING ${EVENT_TIME_SQL} AS at`;
  return deletions.parse(await queryRows(manager, sql, [communityId]))[0].at;
}

const claimed = z.array(z.object({ communityId: z.string() })).max(1);

/**
 * Claims the community whose purge is longest due. The claim lasts ten seconds, twice as long after each failure and ten
 * minutes at most, so that communities whose purge fails let others pass.
 */
export async function claimDeletedCommunity(db: Queryable): Promise<string | undefined> {
  const sql = `
    UPDATE token_gating.deleted_communities
    SET purge_at = now() + least(10 * 2 ^ least(failures, 10), 600) * interval '1 second', failures = failures + 1
    WHERE community_id = (
      SELECT community_id FROM token_gating.deleted_communities WHERE purge_at <= now()
      ORDER BY purge_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING community_id AS "communityId"`;
  return claimed.parse(await queryRows(db, sql))[0]?.communityId;
}

/** Ends a claim: the purge of the community goes on after those that are due. */
export async function releaseDeletedCommunity(db: Queryable, communityId: string): Promise<void> {
  const sql = `
    UPDATE token_gating.deleted_communities SET purge_at = now(), failures = 0 WHERE community_id = $1`;
  await queryRows(db, sql, [communityId]);
}

export async function removeDeletedCommunity(db: Queryable, communityId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM token_gating.deleted_communities WHERE community_id = $1', [communityId]);
}
