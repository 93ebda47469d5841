import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** The erasure of a user in one community. */
export interface ErasureTarget {
  readonly userId: string;
  readonly communityId: string;
}

/** What replaces a user and their wallets in one community. */
export interface Pseudonym {
  readonly userId: string;
  /** Random: a wallet gets the same replacement everywhere in the community. */
  readonly salt: string;
}

const progressRows = z.tuple([z.object({ userId: z.string(), salt: z.string(), partition: z.string() })]);
export type ErasureProgress = z.output<typeof progressRows>[0];

/** Begins an erasure, or goes on with it under the same pseudonym. The community must be locked. */
export async function startErasure(
  manager: EntityManager,
  { userId, communityId }: ErasureTarget,
  pseudonym: Pseudonym,
): Promise<ErasureProgress> {
  const sql = `
    INSERT INTO analytics.erasure_progress (user_id, community_id, pseudonym, salt) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id, community_id) DO UPDATE SET is_replacing = true
    RETURNING pseudonym AS "userId", salt, partition`;
  const parameters = [userId, communityId, pseudonym.userId, pseudonym.salt];
  return progressRows.parse(await queryRows(manager, sql, parameters))[0];
}

/** Moves to the first event of a partition that is still to be read. */
export async function startPartition(
  manager: EntityManager,
  { userId, communityId }: ErasureTarget,
  partition: string,
): Promise<void> {
  const sql = `
    UPDATE analytics.erasure_progress
    SET partition = $3, received_at = from_received_at, event_id = '00000000-0000-0000-0000-000000000000'
    WHERE user_id = $1 AND community_id = $2`;
  await queryRows(manager, sql, [userId, communityId, partition]);
}

/** Transactions that did not see the hash of the user have ended after this time. */
const VISIBLE_AFTER = '1 minute';

/** The next erasure of the user begins with events that transactions may have been storing when this one began. */
export async function finishErasure(
  manager: EntityManager,
  { userId, communityId }: ErasureTarget,
): Promise<void> {
  const sql = `
    UPDATE analytics.erasure_progress
    SET is_replacing = false, partition = '', from_received_at = started_at - interval '${VISIBLE_AFTER}'
    WHERE user_id = $1 AND community_id = $2`;
  await queryRows(manager, sql, [userId, communityId]);
}

const communityIds = z.array(z.object({ id: z.string() }));

/**
 * The communities that have history of a user.
 * @param withErased whether those are listed, too, in which the user was erased before
 */
export async function listCommunitiesOfUser(
  db: Queryable,
  userId: string,
  withErased: boolean,
): Promise<string[]> {
  const sql = `
    SELECT c.community_id AS id FROM analytics.communities c WHERE EXISTS (
      SELECT FROM analytics.state_intervals s
      WHERE s.community_id = c.community_id AND s.kind IN ('membership', 'role', 'wallet') AND s.user_id = $1
    )
    UNION SELECT community_id FROM analytics.erasure_progress WHERE user_id = $1 AND $2::boolean
    ORDER BY id`;
  return communityIds.parse(await queryRows(db, sql, [userId, withErased])).map(({ id }) => id);
}

/** Whether events of a user of the community may have two names now. */
export async function isErasing(db: Queryable, communityId: string): Promise<boolean> {
  const sql = 'SELECT FROM analytics.erasure_progress WHERE community_id = $1 AND is_replacing LIMIT 1';
  return (await queryRows(db, sql, [communityId])).length > 0;
}

/** Deletes the pseudonyms of a user, so that nothing says whom they have replaced. */
export async function forgetPseudonyms(db: Queryable, userId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM analytics.erasure_progress WHERE user_id = $1', [userId]);
}
