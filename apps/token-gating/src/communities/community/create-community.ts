import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import type { NewCommunity } from './community.dto.js';
import { createId } from '../access/community-record.js';
import { checkOwnedCommunityLimit } from './check-owned-community-limit.js';

// Nobody belongs to it yet, and whoever joins is looked at then.
const INSERT = `
  INSERT INTO token_gating.communities
    (id, name, platform, visibility, owner_id, icon_url, server_image, network, next_check_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '1 day')`;
const INSERT_ADMINISTRATOR = `
  INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)`;

/** Within a transaction. @returns its id @throws AppError 409 when the user owns as many as one may */
export async function createCommunity(
  manager: EntityManager,
  userId: string,
  { name, platform, visibility, iconURL, serverImage, network }: NewCommunity,
): Promise<string> {
  await checkOwnedCommunityLimit(manager, userId);
  const id = createId('community');
  const images = [iconURL ?? null, serverImage ?? null];
  await queryRows(manager, INSERT, [id, name, platform, visibility, userId, ...images, network ?? null]);
  await queryRows(manager, INSERT_ADMINISTRATOR, [id, userId]);
  return id;
}
