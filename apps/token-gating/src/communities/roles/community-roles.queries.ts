import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { CommunityRole } from './community-role.dto.js';

const ROLE_COLUMNS = 'id, name, color';

const role = z
  .object({ id: z.string(), name: z.string(), color: z.int().nullable() })
  .transform(({ color, ...fields }): CommunityRole => ({ ...fields, color: color ?? undefined }));
const roleRows = z.array(role).max(1);
const rolesOfCommunities = z.array(z.object({ communityId: z.string() }).and(role));

/** Roles by community id, in the order in which they were created. Communities without roles have no entry. */
export async function loadRoles(
  db: Queryable,
  communityIds: readonly string[],
): Promise<ReadonlyMap<string, CommunityRole[]>> {
  const sql = `
    SELECT community_id AS "communityId", ${ROLE_COLUMNS} FROM token_gating.community_roles
    WHERE community_id = ANY($1::text[]) ORDER BY community_id, position, id`;
  const rows = rolesOfCommunities.parse(await queryRows(db, sql, [communityIds]));
  const byCommunity = new Map<string, CommunityRole[]>();
  for (const { communityId, ...fields } of rows) {
    const roles = byCommunity.get(communityId);
    if (roles) roles.push(fields);
    else byCommunity.set(communityId, [fields]);
  }
  return byCommunity;
}

const storedRoles = z.array(z.object({ id: z.string(), isHeld: z.boolean() }));
export type StoredRole = z.infer<typeof storedRoles>[number];

/** All roles of a community in their order, and whether a member is stored as holding each. */
export async function loadStoredRoles(
  db: Queryable,
  communityId: string,
  userId: string,
): Promise<StoredRole[]> {
  const sql = `
    SELECT r.id, EXISTS (SELECT FROM token_gating.role_assignments a
      WHERE a.community_id = r.community_id AND a.user_id = $2 AND a.role_id = r.id) AS "isHeld"
    FROM token_gating.community_roles r WHERE r.community_id = $1 ORDER BY r.position, r.id`;
  return storedRoles.parse(await queryRows(db, sql, [communityId, userId]));
}

const counts = z.tuple([z.object({ count: z.int(), lastPosition: z.int() })]);

/** `lastPosition` is 0 where there is no role. */
export async function countRoles(db: Queryable, communityId: string) {
  const sql = `
    SELECT count(*)::int AS count, coalesce(max(position), 0)::int AS "lastPosition"
    FROM token_gating.community_roles WHERE community_id = $1`;
  return counts.parse(await queryRows(db, sql, [communityId]))[0];
}

/** @returns undefined where the community has a role with this id, or is still revoking a deleted one */
export async function insertRole(
  manager: EntityManager,
  communityId: string,
  { id, name, color }: CommunityRole,
  position: number,
): Promise<CommunityRole | undefined> {
  const sql = `
    INSERT INTO token_gating.community_roles (community_id, id, name, color, position)
    SELECT $1, $2, $3, $4, $5
    WHERE NOT EXISTS (SELECT FROM token_gating.deleted_roles WHERE community_id = $1 AND role_id = $2)
    ON CONFLICT DO NOTHING RETURNING ${ROLE_COLUMNS}`;
  return roleRows.parse(await queryRows(manager, sql, [communityId, id, name, color ?? null, position]))[0];
}

/** Undefined fields stay; null removes the color. @returns undefined where there is no such role */
export async function updateRole(
  manager: EntityManager,
  communityId: string,
  roleId: string,
  { name, color }: { name?: string | undefined; color?: number | null | undefined },
): Promise<CommunityRole | undefined> {
  const sql = `
    UPDATE token_gating.community_roles
    SET name = coalesce($3, name), color = CASE WHEN $5 THEN $4 ELSE color END
    WHERE community_id = $1 AND id = $2 RETURNING ${ROLE_COLUMNS}`;
  const parameters = [communityId, roleId, name ?? null, color ?? null, color !== undefined];
  return roleRows.parse(await queryRows(manager, sql, parameters))[0];
}

/** @returns whether the community had the role */
export async function deleteRole(
  manager: EntityManager,
  communityId: string,
  roleId: string,
): Promise<boolean> {
  const sql = 'DELETE FROM token_gating.community_roles WHERE community_id = $1 AND id = $2 RETURNING id';
  return (await queryRows(manager, sql, [communityId, roleId])).length > 0;
}
