import { type Queryable, queryRows } from '@app/database';
import type { SupervisedCommunity } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const COLUMNS = `id AS "communityId", name, owner_id AS "ownerId", visibility, member_count AS "memberCount",
  suspended_at AS "suspendedAt", suspension_reason AS reason`;

const rows = z.array(
  z
    .object({
      communityId: z.string(),
      name: z.string(),
      ownerId: z.string(),
      visibility: z.string(),
      memberCount: z.int(),
      suspendedAt: z.date().nullable(),
      reason: z.string().nullable(),
    })
    .transform(({ suspendedAt, reason, ...community }): SupervisedCommunity =>
      suspendedAt === null || reason === null
        ? community
        : { ...community, suspension: { reason, since: suspendedAt.toISOString() } },
    ),
);

export async function findSupervisedCommunity(
  db: Queryable,
  communityId: string,
): Promise<SupervisedCommunity | undefined> {
  const sql = `SELECT ${COLUMNS} FROM token_gating.communities WHERE id = $1`;
  return rows.parse(await queryRows(db, sql, [communityId]))[0];
}

/** Newest first. */
export async function listSuspendedCommunities(db: Queryable, limit: number): Promise<SupervisedCommunity[]> {
  const sql = `
    SELECT ${COLUMNS} FROM token_gating.communities WHERE suspended_at IS NOT NULL
    ORDER BY suspended_at DESC, id DESC LIMIT $1`;
  return rows.parse(await queryRows(db, sql, [limit]));
}

/**
 * Suspends a community, or changes the reason of its suspension. The new revision of the rules discards the roles that running
 * checks have read. An offer of the community ends. The caller holds the exclusive assignment lock.
 * @returns undefined where the community does not exist
 */
export async function suspendCommunity(
  manager: EntityManager,
  communityId: string,
  reason: string,
): Promise<SupervisedCommunity | undefined> {
  const sql = `
    WITH offer AS (DELETE FROM token_gating.ownership_offers WHERE community_id = $1)
    UPDATE token_gating.communities
    SET suspended_at = coalesce(suspended_at, clock_timestamp()), suspension_reason = $2,
      rules_revision = rules_revision + 1
    WHERE id = $1 RETURNING ${COLUMNS}`;
  return rows.parse(await queryRows(manager, sql, [communityId, reason]))[0];
}

/**
 * Ends a suspension. The next balance check is due now, and a running one begins again, because it belongs to an earlier revision
 * of the rules.
 * @returns undefined where the community does not exist
 */
export async function resumeCommunity(
  manager: EntityManager,
  communityId: string,
): Promise<SupervisedCommunity | undefined> {
  const sql = `
    UPDATE token_gating.communities
    SET next_check_at = CASE WHEN suspended_at IS NULL THEN next_check_at ELSE now() END,
      rules_revision = rules_revision + (suspended_at IS NOT NULL)::int, suspended_at = NULL, suspension_reason = NULL
    WHERE id = $1 RETURNING ${COLUMNS}`;
  return rows.parse(await queryRows(manager, sql, [communityId]))[0];
}
