import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const LOAD = `
  SELECT r.id, EXISTS (SELECT FROM token_gating.role_assignments a
    WHERE a.community_id = r.community_id AND a.user_id = $2 AND a.role_id = r.id) AS "isHeld"
  FROM token_gating.community_roles r WHERE r.community_id = $1 ORDER BY r.position, r.id`;

/** A role of a community, and whether a member is stored to hold it. */
const storedRole = z.object({ id: z.string(), isHeld: z.boolean() });
export type StoredRole = z.infer<typeof storedRole>;

/** All roles of the community, in its order. */
export async function loadStoredRoles(
  manager: EntityManager,
  communityId: string,
  userId: string,
): Promise<StoredRole[]> {
  return z.array(storedRole).parse(await queryRows(manager, LOAD, [communityId, userId]));
}
