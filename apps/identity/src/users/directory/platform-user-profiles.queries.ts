import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

/** The fields of profiles, as an array for each column. */
export interface ProfileColumns {
  readonly userIds: readonly string[];
  readonly userNames: readonly (string | null)[];
  readonly usernames: readonly (string | null)[];
  readonly names: readonly (string | null)[];
  readonly pictures: readonly (string | null)[];
}

/**
 * Stores what a client application says of platform users. Any application may report any user, so that each has its own
 * profile of them. Omitted fields keep their values. Sorting by id avoids deadlocks between concurrent batches.
 */
export async function upsertProfiles(
  db: Queryable,
  clientId: string,
  { userIds, userNames, usernames, names, pictures }: ProfileColumns,
): Promise<void> {
  const sql = `
    INSERT INTO identity.platform_user_profiles AS stored (client_id, user_id, user_name, username, name, picture)
    SELECT $1, given.*
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS given (user_id, user_name, username, name, picture)
    WHERE coalesce(given.user_name, given.username, given.name, given.picture) IS NOT NULL
    ORDER BY given.user_id
    ON CONFLICT (client_id, user_id) DO UPDATE SET
      user_name = coalesce(excluded.user_name, stored.user_name),
      username = coalesce(excluded.username, stored.username),
      name = coalesce(excluded.name, stored.name),
      picture = coalesce(excluded.picture, stored.picture)
    WHERE (stored.user_name, stored.username, stored.name, stored.picture) IS DISTINCT FROM (
      coalesce(excluded.user_name, stored.user_name), coalesce(excluded.username, stored.username),
      coalesce(excluded.name, stored.name), coalesce(excluded.picture, stored.picture))`;
  await queryRows(db, sql, [clientId, userIds, userNames, usernames, names, pictures]);
}

const nameRows = z.array(z.object({ name: z.string().nullable() })).max(1);

/** What a client application calls a platform user. */
export async function findProfileName(
  db: Queryable,
  clientId: string,
  userId: string,
): Promise<string | undefined> {
  const sql = `
    SELECT coalesce(username, user_name, name) AS name FROM identity.platform_user_profiles
    WHERE client_id = $1 AND user_id = $2`;
  return nameRows.parse(await queryRows(db, sql, [clientId, userId]))[0]?.name ?? undefined;
}

/** Deletes what all client applications say of a platform user. */
export async function deleteProfiles(db: Queryable, userId: string): Promise<void> {
  await queryRows(db, 'DELETE FROM identity.platform_user_profiles WHERE user_id = $1', [userId]);
}
