import { formatTimestampSql, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

export const MAX_USERNAME_CHANGES_PER_YEAR = 3;

const stateRow = z.tuple([
  z.object({
    username: z.string().nullable(),
    hadUsername: z.boolean(),
    recentChanges: z.int(),
    /** The time at which the oldest change of the last year no longer counts. */
    freeAt: z.string().nullable(),
  }),
]);
export type UsernameState = z.output<typeof stateRow>[0];

/** What the user is called now, and how often that changed within a year. Call it under `lockUser`. */
export async function loadUsernameState(manager: EntityManager, userId: string): Promise<UsernameState> {
  const sql = `
    SELECT username,
      username IS NOT NULL OR EXISTS (SELECT FROM identity.used_usernames WHERE user_id = $1) AS "hadUsername",
      (SELECT count(*)::int FROM unnest(username_changes) AS at WHERE at > now() - interval '1 year') AS "recentChanges",
      (SELECT ${formatTimestampSql("(min(at) + interval '1 year')")}
       FROM unnest(username_changes) AS at WHERE at > now() - interval '1 year') AS "freeAt"
    FROM identity.users WHERE id = $1`;
  return stateRow.parse(await queryRows(manager, sql, [userId]))[0];
}

/** Keeps a username for a user, or for nobody. Waits for a transaction that claims the same one. Idempotent. */
export async function claimUsername(
  manager: EntityManager,
  usernameHash: Buffer,
  userId: string | null,
): Promise<void> {
  const sql = `
    INSERT INTO identity.used_usernames (username_hash, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
  await queryRows(manager, sql, [usernameHash, userId]);
}

/**
 * Whether the user may have a claimed username. Users whose usernames are older than the claims are looked up by the username itself.
 * A statement after the claim, so that its snapshot includes what another transaction has claimed.
 */
export async function isUsernameOf(
  manager: EntityManager,
  userId: string,
  username: string,
  usernameHash: Buffer,
): Promise<boolean> {
  const sql = `
    SELECT FROM identity.used_usernames
    WHERE username_hash = $3 AND user_id = $1 AND NOT EXISTS (
      SELECT FROM identity.users WHERE username = $2 AND id <> $1 AND platform IN ('ethereum', 'solana'))`;
  return (await queryRows(manager, sql, [userId, username, usernameHash])).length > 0;
}

/** @param counts whether it replaces an earlier username */
export async function updateUsername(
  manager: EntityManager,
  userId: string,
  username: string | null,
  counts: boolean,
): Promise<void> {
  const sql = `
    UPDATE identity.users SET username = $2, username_changes = CASE WHEN $3 THEN
      ARRAY (SELECT at FROM unnest(username_changes) AS at WHERE at > now() - interval '1 year') || now()
      ELSE username_changes END
    WHERE id = $1`;
  await queryRows(manager, sql, [userId, username, counts]);
}

/** Keeps the usernames of a user from everybody, the user too. */
export async function disownUsernames(manager: EntityManager, userId: string): Promise<void> {
  await queryRows(manager, 'UPDATE identity.used_usernames SET user_id = NULL WHERE user_id = $1', [userId]);
}

const holderRows = z.array(z.object({ id: z.string() }));

/** The user who is called so; at most one. */
export async function findUsernameHolders(manager: EntityManager, username: string): Promise<string[]> {
  const sql = `SELECT id FROM identity.users WHERE username = $1 AND platform IN ('ethereum', 'solana')`;
  return holderRows.parse(await queryRows(manager, sql, [username])).map(({ id }) => id);
}

/** @param exceptId a user who may be called so */
export async function removeUsername(
  manager: EntityManager,
  username: string,
  exceptId: string | null,
): Promise<boolean> {
  const sql = `
    WITH removed AS (
      UPDATE identity.users SET username = NULL
      WHERE username = $1 AND platform IN ('ethereum', 'solana') AND id IS DISTINCT FROM $2 RETURNING 1
    ) SELECT 1 FROM removed`;
  return (await queryRows(manager, sql, [username, exceptId])).length > 0;
}

/** Keeps a username for a user, whoever it was kept for. Waits for a transaction that claims it. */
export async function reassignUsername(
  manager: EntityManager,
  usernameHash: Buffer,
  userId: string,
): Promise<void> {
  const sql = `
    INSERT INTO identity.used_usernames (username_hash, user_id) VALUES ($1, $2)
    ON CONFLICT (username_hash) DO UPDATE SET user_id = excluded.user_id`;
  await queryRows(manager, sql, [usernameHash, userId]);
}

/** @returns whether it was kept for anybody or nobody */
export async function releaseUsername(manager: EntityManager, usernameHash: Buffer): Promise<boolean> {
  const sql = `
    WITH released AS (DELETE FROM identity.used_usernames WHERE username_hash = $1 RETURNING 1)
    SELECT 1 FROM released`;
  return (await queryRows(manager, sql, [usernameHash])).length > 0;
}
