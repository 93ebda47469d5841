import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const deletedRoles = z.array(z.object({ communityId: z.string(), roleId: z.string() })).max(1);
export type DeletedRole = Readonly<z.infer<typeof deletedRoles>[number]>;

/** Records that members are still assigned to a deleted role. */
export async function insertDeletedRole(manager: EntityManager, role: DeletedRole): Promise<void> {
  const sql = 'INSERT INTO token_gating.deleted_roles (community_id, role_id) VALUES ($1, $2)';
  await queryRows(manager, sql, [role.communityId, role.roleId]);
}

/**
 * Claims the deleted role whose purge is longest due. The claim lasts ten seconds, twice as long after each failure and ten
 * minutes at most, so that roles whose purge fails let others pass.
 */
export async function claimDeletedRole(db: Queryable): Promise<DeletedRole | undefined> {
  const sql = `
    UPDATE token_gating.deleted_roles
    SET purge_at = now() + least(10 * 2 ^ least(failures, 10), 600) * interval '1 second', failures = failures + 1
    WHERE (community_id, role_id) = (
      SELECT community_id, role_id FROM token_gating.deleted_roles WHERE purge_at <= now()
      ORDER BY purge_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING community_id AS "communityId", role_id AS "roleId"`;
  return deletedRoles.parse(await queryRows(db, sql))[0];
}

/** Ends a claim: the purge of the role goes on after those that are due. @returns false where the community is deleted */
export async function releaseDeletedRole(manager: EntityManager, role: DeletedRole): Promise<boolean> {
  const sql = `
    UPDATE token_gating.deleted_roles SET purge_at = now(), failures = 0
    WHERE community_id = $1 AND role_id = $2 RETURNING role_id`;
  return (await queryRows(manager, sql, [role.communityId, role.roleId])).length > 0;
}

export async function removeDeletedRole(manager: EntityManager, role: DeletedRole): Promise<void> {
  const sql = 'DELETE FROM token_gating.deleted_roles WHERE community_id = $1 AND role_id = $2';
  await queryRows(manager, sql, [role.communityId, role.roleId]);
}
