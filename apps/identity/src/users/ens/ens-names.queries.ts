import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

/** How long a name, or that there is none, is shown without another look-up. */
export const ENS_NAME_LIFETIME = `interval '1 hour'`;
/** Rows this old are of users who are gone. Each new row deletes a few of them, so the table needs no sweeper. */
const SWEPT_AFTER = `interval '1 day'`;
const MAX_SWEPT_ROWS = 10;

export interface EnsEntry {
  readonly name: string | null;
  readonly isFresh: boolean;
  /** The database's time, in its own text form, so that it compares exactly. */
  readonly now: string;
}

const entryRows = z
  .array(z.object({ name: z.string().nullable(), isFresh: z.boolean(), now: z.string() }))
  .length(1);

/** What is known of a user's ENS name; a user without an entry has one that is not fresh. */
export async function findEnsEntry(db: Queryable, userId: string): Promise<EnsEntry> {
  const sql = `
    SELECT entry.name, coalesce(entry.checked_at > clock.now - ${ENS_NAME_LIFETIME}, false) AS "isFresh", clock.now::text AS now
    FROM (SELECT clock_timestamp() AS now) clock LEFT JOIN identity.ens_names entry ON entry.user_id = $1`;
  const [entry] = entryRows.parse(await queryRows(db, sql, [userId]));
  return entry as EnsEntry;
}

/** Stores what a look-up found that began at `now`, unless something newer is stored: another look-up, or an erasure. */
export async function saveEnsName(
  db: Queryable,
  userId: string,
  { name, now }: { readonly name: string | null; readonly now: string },
): Promise<void> {
  const sql = `
    WITH swept AS (
      DELETE FROM identity.ens_names WHERE user_id IN (
        SELECT user_id FROM identity.ens_names WHERE checked_at < now() - ${SWEPT_AFTER} AND user_id <> $1
        ORDER BY checked_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO identity.ens_names AS stored (user_id, name, checked_at) VALUES ($1, $2, $3::timestamptz)
    ON CONFLICT ON CONSTRAINT ens_names_pkey DO UPDATE SET name = excluded.name, checked_at = excluded.checked_at
    WHERE stored.checked_at < excluded.checked_at`;
  await queryRows(db, sql, [userId, name, now]);
}

/** Forgets a user's name. A look-up that is running stores nothing afterwards. */
export async function eraseEnsName(db: Queryable, userId: string): Promise<void> {
  const sql = `
    INSERT INTO identity.ens_names (user_id, name, checked_at) VALUES ($1, NULL, clock_timestamp())
    ON CONFLICT ON CONSTRAINT ens_names_pkey DO UPDATE SET name = NULL, checked_at = excluded.checked_at`;
  await queryRows(db, sql, [userId]);
}
