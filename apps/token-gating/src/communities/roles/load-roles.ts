import type { EntityManager } from 'typeorm';
import { queryRows } from '@app/database';
import { z } from 'zod';
import type { CommunityRole } from './community-role.dto.js';

export const ROLE_COLUMNS = 'id, name, color';

const ROLES = `
  SELECT community_id AS "communityId", ${ROLE_COLUMNS} FROM token_gating.community_roles
  WHERE community_id = ANY($1::text[]) ORDER BY community_id, position, id`;

/** A row of token_gating.community_roles. */
export const roleRow = z
  .object({ id: z.string(), name: z.string(), color: z.int().nullable() })
  .transform(({ color, ...role }): CommunityRole => ({ ...role, color: color ?? undefined }));

const rows = z.array(z.object({ communityId: z.string() }).and(roleRow));

/** Roles by community, in the order in which they were made. */
export async function loadRoles(
  manager: EntityManager,
  communityIds: readonly string[],
): Promise<(communityId: string) => CommunityRole[]> {
  const found = new Map<string, CommunityRole[]>();
  for (const { communityId, ...role } of rows.parse(await queryRows(manager, ROLES, [communityIds]))) {
    const roles = found.get(communityId);
    if (roles) roles.push(role);
    else found.set(communityId, [role]);
  }
  return (communityId) => found.get(communityId) ?? [];
}
