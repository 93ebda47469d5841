import type { EntityManager } from 'typeorm';
import { countOwnedWithoutApplication, lockOwner } from '../access/communities.queries.js';
import { MAX_OWNED_WITHOUT_APPLICATION, portalCommunityLimitExceeded } from './rule-limits.js';

/**
 * Call it in the transaction that gives the user one more community without an approved client application.
 * @throws AppError 409 at the limit
 */
export async function checkOwnedWithoutApplication(manager: EntityManager, userId: string): Promise<void> {
  await lockOwner(manager, userId);
  if ((await countOwnedWithoutApplication(manager, userId)) >= MAX_OWNED_WITHOUT_APPLICATION)
    throw portalCommunityLimitExceeded();
}
