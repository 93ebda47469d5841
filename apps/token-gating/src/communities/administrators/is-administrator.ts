import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';

const FIND = `
  SELECT FROM token_gating.community_administrators WHERE community_id = $1 AND user_id = $2`;

export async function isAdministrator(
  manager: EntityManager,
  communityId: string,
  userId: string,
): Promise<boolean> {
  return (await queryRows(manager, FIND, [communityId, userId])).length > 0;
}
