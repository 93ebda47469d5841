import { type Database, formatTimestampSql, lockTransaction, type Queryable, queryRows } from '@app/database';
import { userPlatform, type UsersResponse, type UserNamesResponse } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { ENS_NAME_LIFETIME } from './ens/ens-names.queries.js';

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

/** A user: an identity on one platform. */
const userRows = z
  .array(
    z.object({
      id: z.string(),
      platform: userPlatform,
      platformUserId: z.string(),
      userName: optionalText,
      username: optionalText,
      name: optionalText,
      picture: optionalText,
      createdTime: z.date().transform((date) => date.toISOString()),
    }),
  )
  .max(1);
export type UserRecord = Readonly<z.output<typeof userRows>[number]>;

const USER_COLUMNS = `
  id, platform, platform_user_id AS "platformUserId", user_name AS "userName", username, name, picture,
  created_at AS "createdTime"`;

export async function findUser(db: Database, id: string): Promise<UserRecord | undefined> {
  const sql = `SELECT ${USER_COLUMNS} FROM identity.users WHERE id = $1`;
  return userRows.parse(await db.queryPrepared(sql, [id]))[0];
}

/** Sets the given fields, or removes those that are null. @returns the changed user; undefined for an unknown one */
export async function updateProfile(
  db: Queryable,
  id: string,
  { name, picture }: { name?: string | null | undefined; picture?: string | null | undefined },
): Promise<UserRecord | undefined> {
  const sql = `
    UPDATE identity.users SET
      name = CASE WHEN $2 THEN $3 ELSE name END,
      picture = CASE WHEN $4 THEN $5 ELSE picture END
    WHERE id = $1 RETURNING ${USER_COLUMNS}`;
  const parameters = [id, name !== undefined, name ?? null, picture !== undefined, picture ?? null];
  return userRows.parse(await queryRows(db, sql, parameters))[0];
}

const platformIdRows = z.array(
  z.object({ id: z.string(), platform: userPlatform, platformUserId: z.string() }),
);

/** Users' platforms and platform user ids. */
export async function findPlatformIds(
  db: Queryable,
  userIds: readonly string[],
): Promise<UsersResponse['users']> {
  const sql = `
    SELECT id, platform, platform_user_id AS "platformUserId" FROM identity.users WHERE id = ANY ($1::text[])`;
  return platformIdRows.parse(await queryRows(db, sql, [userIds]));
}

/** Inserts a user without a profile. Idempotent. */
export async function insertUser(
  manager: EntityManager,
  id: string,
  platform: string,
  platformUserId: string,
): Promise<void> {
  const sql = `
    INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
  await queryRows(manager, sql, [id, platform, platformUserId]);
}

/** The fields of users, as an array for each column. */
interface UserColumns {
  readonly ids: readonly string[];
  readonly platforms: readonly string[];
  readonly platformUserIds: readonly string[];
}

/**
 * Inserts unknown users. DO NOTHING covers conflicts on both unique indexes, which `ON CONFLICT (id) DO UPDATE` would not.
 * Sorting by id avoids deadlocks between concurrent batches.
 */
export async function insertUsers(
  db: Queryable,
  { ids, platforms, platformUserIds }: UserColumns,
): Promise<void> {
  const sql = `
    INSERT INTO identity.users (id, platform, platform_user_id)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, platform, platform_user_id)
    ORDER BY id ON CONFLICT DO NOTHING`;
  await queryRows(db, sql, [ids, platforms, platformUserIds]);
}

const clockRows = z.array(z.object({ now: z.date() })).max(1);

/**
 * Serialises changes to a user's wallets and challenges until the transaction ends, so that their limits hold and events are
 * published in order. A statement of its own, so that the next one's snapshot includes what the previous lock holder wrote.
 * @returns the database's time in milliseconds; undefined for an unknown user
 */
export async function lockUser(manager: EntityManager, userId: string): Promise<Date | undefined> {
  const sql = `
    SELECT date_trunc('milliseconds', clock_timestamp()) AS now FROM identity.users WHERE id = $1 FOR NO KEY UPDATE`;
  return clockRows.parse(await queryRows(manager, sql, [userId]))[0]?.now;
}

const erasedRows = z.array(z.object({ at: z.iso.datetime() })).max(1);

/** Removes what is known of the person, except the wallets, and ends the browser sessions. @returns the database's time; undefined for an unknown user */
export async function eraseProfile(manager: EntityManager, userId: string): Promise<string | undefined> {
  const sql = `
    WITH signed_out AS (DELETE FROM identity.browser_sessions WHERE user_id = $1)
    UPDATE identity.users SET
      user_name = NULL, username = NULL, name = NULL, picture = NULL, username_changes = '{}'
    WHERE id = $1
    RETURNING ${formatTimestampSql('clock_timestamp()')} AS at`;
  return erasedRows.parse(await queryRows(manager, sql, [userId]))[0]?.at;
}

const idRows = z.array(z.object({ id: z.string() }));

/** Serialises adding passkeys and removing all passkeys of a user until the transaction ends. */
export const lockPasskeys = (manager: EntityManager, userId: string): Promise<void> =>
  lockTransaction(manager, `gatehouse passkeys ${userId}`);

/**
 * Deletes all passkeys of a user. It waits for logins and additions under way, so a later statement sees what they stored.
 * @returns their ids
 */
export async function deletePasskeys(manager: EntityManager, userId: string): Promise<string[]> {
  await lockPasskeys(manager, userId);
  const sql = `
    WITH gone AS (DELETE FROM identity.passkeys WHERE user_id = $1 RETURNING id) SELECT id FROM gone`;
  return idRows.parse(await queryRows(manager, sql, [userId])).map(({ id }) => id);
}

const nameRows = z.array(z.object({ id: z.string(), name: z.string() }));

/** The names that users gave themselves, else their usernames, else the ENS names that are known: none is looked up for others. */
export async function findNamesOfUsers(
  db: Queryable,
  userIds: readonly string[],
): Promise<UserNamesResponse['users']> {
  const sql = `
    SELECT * FROM (
      SELECT id, coalesce(users.name, users.username, ens.name) AS name
      FROM identity.users LEFT JOIN identity.ens_names ens
        ON ens.user_id = id AND ens.checked_at > now() - ${ENS_NAME_LIFETIME}
      WHERE id = ANY ($1::text[])
    ) AS named WHERE name IS NOT NULL`;
  return nameRows.parse(await queryRows(db, sql, [userIds]));
}

const matchingRows = z.array(z.object({ id: z.string() }));

/** Which of these users have a name, a username or a known ENS name that holds the text, in any case. */
export async function findMatchingUsers(
  db: Queryable,
  userIds: readonly string[],
  text: string,
): Promise<string[]> {
  const sql = `
    SELECT id FROM identity.users LEFT JOIN identity.ens_names ens
      ON ens.user_id = id AND ens.checked_at > now() - ${ENS_NAME_LIFETIME}
    WHERE id = ANY ($1::text[])
      AND strpos(lower(concat_ws(chr(10), users.name, users.username, ens.name)), lower($2)) > 0`;
  return matchingRows.parse(await queryRows(db, sql, [userIds, text])).map(({ id }) => id);
}

/** The names that one client application reported of users. */
export async function findReportedNames(
  db: Queryable,
  userIds: readonly string[],
  clientId: string,
): Promise<UserNamesResponse['users']> {
  const sql = `
    SELECT user_id AS id, coalesce(name, user_name, username) AS name FROM identity.platform_user_profiles
    WHERE client_id = $2 AND user_id = ANY ($1::text[]) AND coalesce(name, user_name, username) IS NOT NULL`;
  return nameRows.parse(await queryRows(db, sql, [userIds, clientId]));
}
