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

/** Locks the community that was deleted first, unless another instance has locked it. */
export async function claimDeletedCommunity(manager: EntityManager): Promise<string | undefined> {
  const sql = `
    SELECT community_id AS "communityId" FROM token_gating.deleted_communities
    ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
  return claimed.parse(await queryRows(manager, sql))[0]?.communityId;
}

export async function removeDeletedCommunity(db: Queryable, communityId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM token_gating.deleted_communities WHERE community_id = $1', [communityId]);
}
