import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const administratorRows = z.array(z.object({ userId: z.string(), createdAt: z.date() }));

/** Administrators in the order in which they became one. */
export async function listAdministrators(db: Queryable, communityId: string) {
  const sql = `
    SELECT user_id AS "userId", created_at AS "createdAt" FROM token_gating.community_administrators
    WHERE community_id = $1 ORDER BY created_at, user_id`;
  return administratorRows.parse(await queryRows(db, sql, [communityId]));
}

export async function isAdministrator(db: Queryable, communityId: string, userId: string): Promise<boolean> {
  const sql = 'SELECT FROM token_gating.community_administrators WHERE community_id = $1 AND user_id = $2';
  return (await queryRows(db, sql, [communityId, userId])).length > 0;
}

const countRows = z.tuple([z.object({ count: z.int() })]);

export async function countAdministrators(db: Queryable, communityId: string): Promise<number> {
  const sql =
    'SELECT count(*)::int AS count FROM token_gating.community_administrators WHERE community_id = $1';
  return countRows.parse(await queryRows(db, sql, [communityId]))[0].count;
}

export async function insertAdministrator(
  manager: EntityManager,
  communityId: string,
  userId: string,
): Promise<void> {
  const sql = 'INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)';
  await queryRows(manager, sql, [communityId, userId]);
}

/** Ends an offer of the community to this administrator, too. */
export async function deleteAdministrator(
  manager: EntityManager,
  communityId: string,
  userId: string,
): Promise<void> {
  const sql = `
    WITH offer AS (DELETE FROM token_gating.ownership_offers WHERE community_id = $1 AND to_user_id = $2)
    DELETE FROM token_gating.community_administrators WHERE community_id = $1 AND user_id = $2`;
  await queryRows(manager, sql, [communityId, userId]);
}
