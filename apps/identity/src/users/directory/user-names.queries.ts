import { type Queryable, queryRows } from '@app/database';
import type { UserNamesResponse } from '@app/dto';
import { z } from 'zod';
import { ENS_NAME_LIFETIME } from '../ens/ens-names.queries.js';

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
