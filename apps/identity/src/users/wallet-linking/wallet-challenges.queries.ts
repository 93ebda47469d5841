import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Live challenges per user; older ones are deleted. */
const MAX_CHALLENGES_PER_USER = 10;
/** Above 1, so that deletion outpaces insertion and abandoned challenges do not accumulate. */
const SWEEP_BATCH_SIZE = 10;

export interface LinkChallenge {
  readonly digest: string;
  readonly userId: string;
  readonly expiresAt: Date;
}

/**
 * Inserts a challenge and deletes expired ones. The user must be locked. SKIP LOCKED: a locked row is being deleted already,
 * and waiting for it could deadlock.
 */
export async function insertChallenge(
  manager: EntityManager,
  { digest, userId, expiresAt }: LinkChallenge,
): Promise<void> {
  const sql = `
    WITH swept AS (
      DELETE FROM identity.wallet_challenges WHERE digest IN (
        SELECT digest FROM identity.wallet_challenges WHERE expires_at <= now()
        ORDER BY expires_at LIMIT ${SWEEP_BATCH_SIZE} FOR UPDATE SKIP LOCKED
      )
    ), surplus AS (
      DELETE FROM identity.wallet_challenges WHERE digest IN (
        SELECT digest FROM identity.wallet_challenges WHERE user_id = $2
        ORDER BY expires_at DESC OFFSET ${MAX_CHALLENGES_PER_USER - 1} FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO identity.wallet_challenges (digest, user_id, expires_at) VALUES ($1, $2, $3)`;
  await queryRows(manager, sql, [digest, userId, expiresAt]);
}

const takenRows = z
  .array(z.object({ digest: z.string(), userId: z.string(), expiresAt: z.date(), isAlive: z.boolean() }))
  .max(1);
export type TakenChallenge = Readonly<z.output<typeof takenRows>[number]>;

/** Deletes and returns a challenge in one statement, so that of concurrent attempts exactly one gets it. */
export async function takeChallenge(
  db: Queryable,
  digest: string,
  userId: string,
): Promise<TakenChallenge | undefined> {
  const sql = `
    DELETE FROM identity.wallet_challenges WHERE digest = $1 AND user_id = $2
    RETURNING digest, user_id AS "userId", expires_at AS "expiresAt", expires_at > clock_timestamp() AS "isAlive"`;
  return takenRows.parse(await queryRows(db, sql, [digest, userId]))[0];
}

export async function restoreChallenge(
  db: Queryable,
  { digest, userId, expiresAt }: LinkChallenge,
): Promise<void> {
  const sql = `
    INSERT INTO identity.wallet_challenges (digest, user_id, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
  await queryRows(db, sql, [digest, userId, expiresAt]);
}
