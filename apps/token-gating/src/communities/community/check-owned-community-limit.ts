import { conflict } from '@app/common';
import type { EntityManager } from 'typeorm';
import { countOwnedCommunities, lockOwner } from '../access/communities.queries.js';

/** Communities that one user may own. */
export const MAX_OWNED_COMMUNITIES = 100;

/** Call it in the transaction that gives the user one more community. @throws AppError 409 at the limit */
export async function checkOwnedCommunityLimit(manager: EntityManager, userId: string): Promise<void> {
  await lockOwner(manager, userId);
  if ((await countOwnedCommunities(manager, userId)) >= MAX_OWNED_COMMUNITIES)
    throw conflict('community_limit_exceeded', `A user owns at most ${MAX_OWNED_COMMUNITIES} communities.`);
}
