import { conflict } from '@app/common';
import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Communities that one user may own. */
export const MAX_OWNED_COMMUNITIES = 100;

// Whoever makes two communities at once waits for the first: the second has to count it.
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse owner ' || $1, 0))`;
const COUNT = 'SELECT count(*)::int AS owned FROM token_gating.communities WHERE owner_id = $1';

const counted = z.tuple([z.object({ owned: z.int() })]);

/** Within a transaction that is about to give the user one more. @throws AppError 409 when there is no room for it */
export async function checkOwnedCommunityLimit(manager: EntityManager, userId: string): Promise<void> {
  await queryRows(manager, LOCK, [userId]);
  const [{ owned }] = counted.parse(await queryRows(manager, COUNT, [userId]));
  if (owned >= MAX_OWNED_COMMUNITIES)
    throw conflict('community_limit_exceeded', `One user owns at most ${MAX_OWNED_COMMUNITIES} communities.`);
}
