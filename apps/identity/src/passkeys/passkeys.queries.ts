import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

const COLUMNS = `
  id, user_handle AS "userHandle", credential_id AS "credentialId", transports, is_backed_up AS "isBackedUp",
  name, created_at AS "createdAt", kept_at IS NULL AS "isNew", blocked_at IS NOT NULL AS "isBlocked"`;

const passkeyRows = z.array(
  z.object({
    id: z.string(),
    userHandle: z.instanceof(Uint8Array),
    credentialId: z.instanceof(Uint8Array),
    transports: z.array(z.string()),
    isBackedUp: z.boolean(),
    name: z.string(),
    createdAt: z.date(),
    isNew: z.boolean().meta({ description: 'No login with the wallet has kept it since it was added' }),
    isBlocked: z.boolean().meta({ description: 'Its counter did not grow, so it signs nobody in' }),
  }),
);

/** A passkey without its key. */
export type Passkey = z.output<typeof passkeyRows>[number];

export interface NewPasskey {
  readonly id: string;
  readonly userId: string;
  readonly userHandle: Uint8Array;
  readonly credentialId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly name: string;
}

/** Oldest first. */
export async function listPasskeys(db: Queryable, userId: string): Promise<Passkey[]> {
  const sql = `SELECT ${COLUMNS} FROM identity.passkeys WHERE user_id = $1 ORDER BY created_at, id`;
  return passkeyRows.parse(await queryRows(db, sql, [userId]));
}

/** @returns undefined for a credential that is stored already, of whichever user */
export async function insertPasskey(db: Queryable, passkey: NewPasskey): Promise<Passkey | undefined> {
  const sql = `
    INSERT INTO identity.passkeys
      (id, user_id, user_handle, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up, name)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (credential_id) DO NOTHING RETURNING ${COLUMNS}`;
  const row = [
    passkey.id,
    passkey.userId,
    Buffer.from(passkey.userHandle),
    Buffer.from(passkey.credentialId),
    Buffer.from(passkey.publicKey),
    passkey.counter,
    passkey.transports,
    passkey.isBackupEligible,
    passkey.isBackedUp,
    passkey.name,
  ];
  return passkeyRows.parse(await queryRows(db, sql, row))[0];
}

export async function renamePasskey(
  db: Queryable,
  userId: string,
  { id, name }: { id: string; name: string },
): Promise<Passkey | undefined> {
  const sql = `UPDATE identity.passkeys SET name = $3 WHERE user_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
  return passkeyRows.parse(await queryRows(db, sql, [userId, id, name]))[0];
}

/** @returns whether the user had the passkey */
export async function deletePasskey(db: Queryable, userId: string, id: string): Promise<boolean> {
  const sql =
    'WITH gone AS (DELETE FROM identity.passkeys WHERE user_id = $1 AND id = $2 RETURNING 1) SELECT 1 FROM gone';
  return (await queryRows(db, sql, [userId, id])).length > 0;
}

/** The passkeys that the user of a wallet login, at `$2`, has to judge: those added before it, or blocked before it. */
const IS_TO_REVIEW = `
  user_id = $1 AND created_at < $2 AND (blocked_at < $2 OR (blocked_at IS NULL AND kept_at IS NULL))`;

/** Oldest first. */
export async function listPasskeysToReview(db: Queryable, userId: string, loginAt: Date): Promise<Passkey[]> {
  const sql = `SELECT ${COLUMNS} FROM identity.passkeys WHERE ${IS_TO_REVIEW} ORDER BY created_at, id`;
  return passkeyRows.parse(await queryRows(db, sql, [userId, loginAt]));
}

const idRows = z.array(z.object({ id: z.string() }));

/**
 * Keeps those of the given passkeys that a wallet login at `loginAt` may judge. The counter of a blocked one starts anew, because
 * the next value of the authenticator may be lower than the last one. @returns the ids of the kept ones
 */
export async function keepPasskeys(
  db: Queryable,
  userId: string,
  { ids, loginAt }: { ids: readonly string[]; loginAt: Date },
): Promise<string[]> {
  const sql = `
    WITH kept AS (
      UPDATE identity.passkeys SET
        kept_at = now(), blocked_at = NULL, counter = CASE WHEN blocked_at IS NULL THEN counter ELSE 0 END
      WHERE ${IS_TO_REVIEW} AND id = ANY ($3::text[]) RETURNING id
    ) SELECT id FROM kept`;
  return idRows.parse(await queryRows(db, sql, [userId, loginAt, ids])).map(({ id }) => id);
}

const verifierRows = z
  .array(
    z.object({
      id: z.string(),
      userId: z.string(),
      userHandle: z.instanceof(Uint8Array),
      publicKey: z.instanceof(Uint8Array),
      isBackupEligible: z.boolean(),
    }),
  )
  .max(1);

/** What verifies a login with a passkey. */
export type PasskeyVerifier = z.output<typeof verifierRows>[number];

export async function findVerifier(
  db: Queryable,
  credentialId: Buffer,
): Promise<PasskeyVerifier | undefined> {
  const sql = `
    SELECT id, user_id AS "userId", user_handle AS "userHandle", public_key AS "publicKey",
      is_backup_eligible AS "isBackupEligible"
    FROM identity.passkeys WHERE credential_id = $1`;
  return verifierRows.parse(await queryRows(db, sql, [credentialId]))[0];
}

export interface PasskeyUse {
  readonly id: string;
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/**
 * Compares the counter and raises it in one statement, so that of two logins with one answer only one succeeds. Authenticators
 * without a counter send 0 always. The row stays locked until the session is stored, so that a deletion sees it.
 */
export async function recordUse(db: Queryable, { id, counter, isBackedUp }: PasskeyUse): Promise<boolean> {
  const sql = `
    WITH used AS (
      UPDATE identity.passkeys SET counter = $2, is_backed_up = $3, last_used_at = clock_timestamp()
      WHERE id = $1 AND blocked_at IS NULL AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING 1
    ) SELECT 1 FROM used`;
  return (await queryRows(db, sql, [id, counter, isBackedUp])).length > 0;
}

/**
 * Blocks a passkey whose counter did not grow: it was copied. Nothing is blocked for an answer to a challenge that is older than the
 * last use, because two tabs of one browser may answer in the other order than they were asked.
 * @returns whether it is blocked now and was not before
 */
export async function blockPasskey(db: Queryable, id: string, challengedAt: Date): Promise<boolean> {
  const sql = `
    WITH blocked AS (
      UPDATE identity.passkeys SET blocked_at = now()
      WHERE id = $1 AND blocked_at IS NULL AND (last_used_at IS NULL OR last_used_at < $2) RETURNING 1
    ) SELECT 1 FROM blocked`;
  return (await queryRows(db, sql, [id, challengedAt])).length > 0;
}
