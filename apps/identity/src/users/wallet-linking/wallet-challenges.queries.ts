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
  /** The account that the message names, CAIP-10. */
  readonly accountId: string | null;
  /** Whether its signature ends other users' links to the wallet. */
  readonly endsOtherLinks: boolean;
}

const COLUMNS = 'digest, user_id, expires_at, account_id, ends_other_links';

const toParameters = ({ digest, userId, expiresAt, accountId, endsOtherLinks }: LinkChallenge) => [
  digest,
  userId,
  expiresAt,
  accountId,
  endsOtherLinks,
];

/**
 * Inserts a challenge and deletes expired ones. The user must be locked. SKIP LOCKED: a locked row is being deleted already,
 * and waiting for it could deadlock.
 */
export async function insertChallenge(manager: EntityManager, challenge: LinkChallenge): Promise<void> {
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
    INSERT INTO identity.wallet_challenges (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)`;
  await queryRows(manager, sql, toParameters(challenge));
}

const takenRows = z
  .array(
    z.object({
      digest: z.string(),
      userId: z.string(),
      expiresAt: z.date(),
      accountId: z.string().nullable(),
      endsOtherLinks: z.boolean(),
      isAlive: z.boolean(),
    }),
  )
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
    RETURNING digest, user_id AS "userId", expires_at AS "expiresAt", account_id AS "accountId",
      ends_other_links AS "endsOtherLinks", expires_at > clock_timestamp() AS "isAlive"`;
  return takenRows.parse(await queryRows(db, sql, [digest, userId]))[0];
}

export async function restoreChallenge(db: Queryable, challenge: LinkChallenge): Promise<void> {
  const sql = `
    INSERT INTO identity.wallet_challenges (${COLUMNS}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`;
  await queryRows(db, sql, toParameters(challenge));
}
