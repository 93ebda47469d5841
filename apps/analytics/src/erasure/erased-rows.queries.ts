import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { EXACT_SKETCH, hashMember } from '../rollups/distinct-sketch.js';

const communityIds = z.array(z.object({ id: z.string() }));

/** The communities that have history of a user. */
export async function listCommunitiesOfUser(db: Queryable, userId: string): Promise<string[]> {
  const sql = `
    SELECT c.community_id AS id FROM analytics.communities c WHERE EXISTS (
      SELECT FROM analytics.state_intervals s
      WHERE s.community_id = c.community_id AND s.kind IN ('membership', 'role', 'wallet') AND s.user_id = $1
    )
    ORDER BY c.community_id`;
  return communityIds.parse(await queryRows(db, sql, [userId])).map(({ id }) => id);
}

/** By what a user and their wallets are replaced in one community. */
export interface Pseudonym {
  readonly userId: string;
  /** Random, and not kept: a wallet gets the same replacement everywhere in the community. */
  readonly salt: string;
}

const maskSql = (account: string, salt: string): string =>
  `'erased:' || encode(sha256(convert_to(${salt} || ${account}, 'UTF8')), 'hex')`;

/** The community must be locked. @param partitions of the events, by name */
export async function replaceUser(
  manager: EntityManager,
  { communityId, userId, partitions }: { communityId: string; userId: string; partitions: readonly string[] },
  pseudonym: Pseudonym,
): Promise<void> {
  const parameters = [communityId, userId, pseudonym.userId, pseudonym.salt];
  for (const partition of partitions)
    await queryRows(
      manager,
      `UPDATE analytics.${partition} SET user_id = $3, account_id = ${maskSql('account_id', '$4::text')}
       WHERE community_id = $1 AND user_id = $2`,
      parameters,
    );
  await queryRows(
    manager,
    `UPDATE analytics.state_intervals
     SET user_id = $3, key = CASE WHEN kind = 'wallet' THEN ${maskSql('key', '$4::text')} ELSE key END
     WHERE community_id = $1 AND kind IN ('membership', 'role', 'wallet') AND user_id = $2`,
    parameters,
  );
  // Exact sketches hold hashes of user ids; from others a single user cannot be told.
  await queryRows(
    manager,
    `UPDATE analytics.user_sketches SET sketch = overlay(sketch PLACING $3::bytea FROM position($2::bytea IN sketch))
     WHERE community_id = $1 AND get_byte(sketch, 0) = ${EXACT_SKETCH} AND position($2::bytea IN sketch) > 0`,
    [communityId, hashMember(userId), hashMember(pseudonym.userId)],
  );
}
