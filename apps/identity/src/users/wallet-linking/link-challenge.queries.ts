import { z } from 'zod';

/** Live challenges per user; older ones are deleted. */
const MAX_CHALLENGES_PER_USER = 10;
/** Above 1, so that deletion outpaces insertion and abandoned challenges do not accumulate. */
const SWEEP_BATCH_SIZE = 10;

/** A statement of its own, so that INSERT_CHALLENGE's snapshot includes what the previous lock holder wrote. */
export const LOCK_USER_AND_READ_CLOCK = `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now FROM identity.users WHERE id = $1 FOR NO KEY UPDATE`;

/** SKIP LOCKED: a locked row is being deleted already, and waiting for it could deadlock. */
export const INSERT_CHALLENGE = `
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

/** One statement, so that of concurrent attempts exactly one gets the row. */
export const TAKE_CHALLENGE = `
  DELETE FROM identity.wallet_challenges WHERE digest = $1 AND user_id = $2
  RETURNING digest, user_id AS "userId", expires_at AS "expiresAt", expires_at > clock_timestamp() AS "isAlive"`;

export const RESTORE_CHALLENGE = `
  INSERT INTO identity.wallet_challenges (digest, user_id, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

export const clockRow = z.tuple([z.object({ now: z.date() })]);

export const takenChallengeRows = z
  .array(z.object({ digest: z.string(), userId: z.string(), expiresAt: z.date(), isAlive: z.boolean() }))
  .max(1);

export type TakenChallenge = Readonly<z.output<typeof takenChallengeRows>[number]>;
