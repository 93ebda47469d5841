import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** A time in which the new owner looks at rules and cost, and after which nobody is surprised by an old offer. */
const OFFER_LIFETIME = "interval '7 days'";

/** Whether an offer `o` of a community `c` may be accepted. Whatever else has ended it, the sweeper deletes it. */
const OPEN = `o.expires_at > now() AND c.suspended_at IS NULL AND c.owner_id = o.from_user_id
  AND EXISTS (SELECT FROM token_gating.community_administrators a
    WHERE a.community_id = o.community_id AND a.user_id = o.to_user_id)`;

const SELECT_OPEN = `
  SELECT o.community_id AS "communityId", c.name, c.member_count AS "memberCount", o.from_user_id AS "fromUserId",
    o.to_user_id AS "toUserId", o.expires_at AS "expiresAt"
  FROM token_gating.ownership_offers o JOIN token_gating.communities c ON c.id = o.community_id
  WHERE ${OPEN}`;

const offers = z.array(
  z.object({
    communityId: z.string(),
    name: z.string(),
    memberCount: z.int(),
    fromUserId: z.string(),
    toUserId: z.string(),
    expiresAt: z.date(),
  }),
);
export type OwnershipOffer = z.output<typeof offers>[number];

/** The open offer of a community. */
export async function findOpenOffer(db: Queryable, communityId: string): Promise<OwnershipOffer | undefined> {
  return offers.parse(await queryRows(db, `${SELECT_OPEN} AND o.community_id = $1`, [communityId]))[0];
}

/** The open offers of and to a user, the oldest first. */
export async function listOpenOffers(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<OwnershipOffer[]> {
  const sql = `${SELECT_OPEN} AND (o.from_user_id = $1 OR o.to_user_id = $1) ORDER BY o.created_at LIMIT $2`;
  return offers.parse(await queryRows(db, sql, [userId, limit]));
}

/** Takes the place of an offer that is no longer open. The caller has locked the community and found no open one. */
export async function insertOffer(
  manager: EntityManager,
  communityId: string,
  { fromUserId, toUserId }: Pick<OwnershipOffer, 'fromUserId' | 'toUserId'>,
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.ownership_offers (community_id, from_user_id, to_user_id, expires_at)
    VALUES ($1, $2, $3, now() + ${OFFER_LIFETIME})
    ON CONFLICT (community_id) DO UPDATE
    SET from_user_id = excluded.from_user_id, to_user_id = excluded.to_user_id, created_at = now(),
      expires_at = excluded.expires_at`;
  await queryRows(manager, sql, [communityId, fromUserId, toUserId]);
}

/** Ends the offer of a community, if there is one. */
export async function deleteOffer(db: Queryable, communityId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM token_gating.ownership_offers WHERE community_id = $1', [communityId]);
}

/** Ends the offers of and to an erased user. */
export async function deleteOffersOfUser(db: Queryable, userId: string): Promise<void> {
  const sql = 'DELETE FROM token_gating.ownership_offers WHERE from_user_id = $1 OR to_user_id = $1';
  await queryRows(db, sql, [userId]);
}

/**
 * Deletes offers that can no longer be accepted. One that took the place of such an offer meanwhile has another time of creation, and stays:
 * PostgreSQL compares that, but not what the offer's community was, with the row as it is when it is locked.
 * @returns how many, at most `limit`
 */
export async function deleteEndedOffers(db: Queryable, limit: number): Promise<number> {
  const sql = `
    WITH ended AS MATERIALIZED (
      SELECT o.community_id, o.created_at FROM token_gating.ownership_offers o
      JOIN token_gating.communities c ON c.id = o.community_id
      WHERE NOT (${OPEN}) ORDER BY o.expires_at LIMIT $1
    )
    DELETE FROM token_gating.ownership_offers WHERE community_id IN (
      SELECT o.community_id FROM token_gating.ownership_offers o
      JOIN ended e ON e.community_id = o.community_id AND e.created_at = o.created_at
      FOR UPDATE OF o SKIP LOCKED
    )
    RETURNING community_id`;
  return (await queryRows(db, sql, [limit])).length;
}
