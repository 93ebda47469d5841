import { type Queryable, queryRows } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Transactions that store events have ended after this time; a second purge removes their rows. */
const SECOND_PURGE_AFTER = '1 minute';

export async function markDeleted(db: Queryable, deletions: readonly CommunityEvent[]): Promise<void> {
  const sql = `
    INSERT INTO analytics.deleted_communities (community_id, at)
    SELECT DISTINCT ON (e."communityId") e."communityId", e.at
    FROM jsonb_to_recordset($1::jsonb) AS e ("communityId" text, at timestamptz)
    ORDER BY e."communityId"
    ON CONFLICT (community_id) DO NOTHING`;
  await queryRows(db, sql, [JSON.stringify(deletions)]);
}

const due = z.array(z.object({ id: z.string() })).max(1);

/** @returns a community whose rows are to be deleted */
export async function claimPurge(manager: EntityManager): Promise<string | undefined> {
  const sql = `
    SELECT community_id AS id FROM analytics.deleted_communities WHERE purge_at <= now()
    ORDER BY purge_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
  return due.parse(await queryRows(manager, sql))[0]?.id;
}

/** Leaves a community whose purge failed for ten minutes, so that the others are purged meanwhile. */
export async function postponePurge(db: Queryable, communityId: string): Promise<void> {
  const sql = `
    UPDATE analytics.deleted_communities SET purge_at = now() + interval '10 minutes'
    WHERE community_id = $1 AND purge_at <= now()`;
  await queryRows(db, sql, [communityId]);
}

/** Schedules the second purge after the first one, and none after that. */
export async function scheduleNextPurge(manager: EntityManager, communityId: string): Promise<void> {
  const sql = `
    UPDATE analytics.deleted_communities
    SET purge_at = CASE
      WHEN received_at > now() - interval '${SECOND_PURGE_AFTER}' THEN received_at + interval '${SECOND_PURGE_AFTER}'
    END
    WHERE community_id = $1`;
  await queryRows(manager, sql, [communityId]);
}
