import { queryRows, type Queryable } from '@app/database';

const KEPT_DAYS = 7;

/** Counts one new account of a client application today (UTC). @returns false, and counts nothing, at the limit */
export async function countNewAccount(db: Queryable, clientId: string, limit: number): Promise<boolean> {
  const rows = await queryRows(
    db,
    `INSERT INTO account_kit.new_account_counts AS counts (client_id, day, accounts)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1)
     ON CONFLICT (client_id, day) DO UPDATE SET accounts = counts.accounts + 1 WHERE counts.accounts < $2
     RETURNING accounts`,
    [clientId, limit],
  );
  return rows.length === 1;
}

/** Deletes the counts of earlier days of this client application. */
export async function deleteOldCounts(db: Queryable, clientId: string): Promise<void> {
  await queryRows(
    db,
    `DELETE FROM account_kit.new_account_counts
     WHERE client_id = $1 AND day < (now() AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}`,
    [clientId],
  );
}
