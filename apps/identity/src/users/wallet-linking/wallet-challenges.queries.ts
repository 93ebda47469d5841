import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import {
  EXPIRED_CHALLENGE_RETENTION,
  KEY_CHALLENGE_LIFETIME_MS,
} from '../../wallet-signatures/challenge-lifetimes.js';

/**
 * Live challenges of a user, and of a platform user in a community, per client application; older ones are deleted. Another
 * application's do not count, because any application that a user signed in to could delete them.
 */
const MAX_CHALLENGES_PER_USER = 10;
/**
 * Rows that one statement deletes: more than one, so that deletion outpaces insertion and abandoned challenges do not
 * accumulate.
 */
const SWEEP_BATCH_SIZE = 10;

export interface LinkChallenge {
  readonly digest: string;
  readonly userId: string;
  /** See WalletOwner. */
  readonly communityId: string;
  /** The client application that requested it. */
  readonly clientId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** The account that the message names, CAIP-10. */
  readonly accountId: string | null;
  /** Whether the challenge's signature ends other users' links to the wallet. */
  readonly endsOtherLinks: boolean;
  /** Identifies the challenge of a platform user. */
  readonly requestId: string | null;
  /** What a platform user is shown, as JSON. */
  readonly request: unknown;
}

/**
 * Inserts a challenge and deletes expired ones. The user must be locked. SKIP LOCKED: a locked row is being deleted already,
 * and waiting for it could deadlock.
 */
export async function insertChallenge(manager: EntityManager, challenge: LinkChallenge): Promise<void> {
  const sql = `
    WITH swept AS (
      DELETE FROM identity.wallet_challenges WHERE digest IN (
        SELECT digest FROM identity.wallet_challenges WHERE expires_at <= now() - interval '${EXPIRED_CHALLENGE_RETENTION}'
        ORDER BY expires_at LIMIT ${SWEEP_BATCH_SIZE} FOR UPDATE SKIP LOCKED
      )
    ), surplus AS (
      DELETE FROM identity.wallet_challenges WHERE digest IN (
        SELECT digest FROM identity.wallet_challenges WHERE user_id = $2 AND community_id = $3 AND client_id = $9
        ORDER BY issued_at DESC OFFSET ${MAX_CHALLENGES_PER_USER - 1} FOR UPDATE SKIP LOCKED
      )
    )
    ${INSERT}`;
  await queryRows(manager, sql, toParameters(challenge));
}

const INSERT = `
  INSERT INTO identity.wallet_challenges
    (digest, user_id, community_id, expires_at, account_id, ends_other_links, request_id, request, client_id, issued_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10)`;

const toParameters = (challenge: LinkChallenge) => [
  challenge.digest,
  challenge.userId,
  challenge.communityId,
  challenge.expiresAt,
  challenge.accountId,
  challenge.endsOtherLinks,
  challenge.requestId,
  challenge.request === null ? null : JSON.stringify(challenge.request),
  challenge.clientId,
  challenge.issuedAt,
];

const COLUMNS = `digest, user_id AS "userId", community_id AS "communityId", client_id AS "clientId",
  issued_at AS "issuedAt", expires_at AS "expiresAt", account_id AS "accountId", ends_other_links AS "endsOtherLinks",
  request_id AS "requestId", request,
  expires_at > clock_timestamp() AS "isAlive",
  issued_at > clock_timestamp() - interval '${KEY_CHALLENGE_LIFETIME_MS} ms' AS "isAliveForKeys"`;

const storedRows = z
  .array(
    z.object({
      digest: z.string(),
      userId: z.string(),
      communityId: z.string(),
      clientId: z.string(),
      issuedAt: z.date(),
      expiresAt: z.date(),
      accountId: z.string().nullable(),
      endsOtherLinks: z.boolean(),
      requestId: z.string().nullable(),
      request: z.unknown(),
      isAlive: z.boolean(),
      isAliveForKeys: z.boolean(),
    }),
  )
  .max(1);
export type StoredChallenge = Readonly<z.output<typeof storedRows>[number]>;

/** The challenge of a platform user, as long as it was not attempted. */
export async function findChallenge(db: Queryable, requestId: string): Promise<StoredChallenge | undefined> {
  const sql = `SELECT ${COLUMNS} FROM identity.wallet_challenges WHERE request_id = $1`;
  return storedRows.parse(await queryRows(db, sql, [requestId]))[0];
}

/** Deletes and returns a challenge in one statement, so that of concurrent attempts exactly one gets it. */
export async function takeChallenge(
  db: Queryable,
  digest: string,
  userId: string,
): Promise<StoredChallenge | undefined> {
  const sql = `
    DELETE FROM identity.wallet_challenges WHERE digest = $1 AND user_id = $2 RETURNING ${COLUMNS}`;
  return storedRows.parse(await queryRows(db, sql, [digest, userId]))[0];
}

export async function restoreChallenge(db: Queryable, challenge: LinkChallenge): Promise<void> {
  await queryRows(db, `${INSERT} ON CONFLICT DO NOTHING`, toParameters(challenge));
}
