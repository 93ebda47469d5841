import { type Queryable, queryRows } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import { z } from 'zod';

export type Erasure = Extract<CommunityEvent, { type: 'user.erased' }>;

/** SQL of the hash under which an erased user is remembered. Needs `erasure_key` as `k`. */
const toHash = (userId: string): string => `sha256(convert_to(k.key || ${userId}, 'UTF8'))`;

/** SQL of the erased ones among the users of a text[] parameter. */
export const findErasedUsersSql = (userIds: string): string => `
  SELECT u.id FROM unnest(${userIds}::text[]) AS u (id) CROSS JOIN analytics.erasure_key k
  JOIN analytics.erased_users e ON e.user_hash = ${toHash('u.id')}`;

/** Idempotent, also for users who were erased before. */
export async function saveErasures(db: Queryable, erasures: readonly Erasure[]): Promise<void> {
  const sql = `
    INSERT INTO analytics.erasures AS stored (user_id, at)
    SELECT e."userId", max(e.at) FROM jsonb_to_recordset($1::jsonb) AS e ("userId" text, at timestamptz)
    GROUP BY e."userId" ORDER BY e."userId"
    ON CONFLICT (user_id) DO NOTHING`;
  await queryRows(db, sql, [JSON.stringify(erasures)]);
}

const claimed = z.array(z.object({ userId: z.string(), isErased: z.boolean() })).max(1);
export type ClaimedErasure = z.output<typeof claimed>[number];

/**
 * Claims a user whose events are in, or who has waited for them for an hour. Another instance takes over after ten minutes.
 * @param dataUntil undefined while it is not known
 */
export async function claimErasure(
  db: Queryable,
  dataUntil: string | undefined,
): Promise<ClaimedErasure | undefined> {
  const sql = `
    UPDATE analytics.erasures SET due_at = now() + interval '10 minutes' WHERE user_id = (
      SELECT user_id FROM analytics.erasures
      WHERE due_at <= now() AND (is_erased OR at < $1::timestamptz OR received_at < now() - interval '1 hour')
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING user_id AS "userId", is_erased AS "isErased"`;
  return claimed.parse(await queryRows(db, sql, [dataUntil ?? null]))[0];
}

/** Keeps others from taking over an erasure that makes progress. */
export async function keepClaim(db: Queryable, userId: string): Promise<void> {
  const sql = `UPDATE analytics.erasures SET due_at = now() + interval '10 minutes' WHERE user_id = $1`;
  await queryRows(db, sql, [userId]);
}

/** Releases an erasure that has more to do, after those of others that are due. */
export async function releaseClaim(db: Queryable, userId: string): Promise<void> {
  await queryRows(db, 'UPDATE analytics.erasures SET due_at = now() WHERE user_id = $1', [userId]);
}

/** Remembers an erased user: from now on events of the user are dropped. */
export async function rememberErasedUser(db: Queryable, userId: string): Promise<void> {
  const sql = `
    INSERT INTO analytics.erased_users (user_hash) SELECT ${toHash('$1')} FROM analytics.erasure_key k
    ON CONFLICT DO NOTHING`;
  await queryRows(db, sql, [userId]);
}

/** Transactions that did not see the hash have ended after this time, so that the second time finds what they stored. */
const SECOND_TIME_AFTER = '1 minute';

export async function scheduleSecondErasure(db: Queryable, userId: string): Promise<void> {
  const sql = `
    UPDATE analytics.erasures SET is_erased = true, due_at = now() + interval '${SECOND_TIME_AFTER}' WHERE user_id = $1`;
  await queryRows(db, sql, [userId]);
}

export async function deleteErasure(db: Queryable, userId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM analytics.erasures WHERE user_id = $1', [userId]);
}
