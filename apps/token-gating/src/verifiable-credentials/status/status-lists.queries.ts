import { type Database, type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** A place in a status list, which is never used again. */
export interface StatusEntry {
  readonly list: number;
  readonly entry: number;
}

const listRows = z.array(z.object({ id: z.int() })).max(1);

/**
 * Counts one more entry of the newest list, or opens the next list when the newest has `maxUsed`. Issuing transactions wait for each
 * other here until they commit.
 * @returns the list
 */
export async function countStatusEntry(manager: EntityManager, maxUsed: number): Promise<number> {
  // Two issuers that find no room must not open two lists.
  await queryRows(manager, `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse status lists', 0))`, []);
  const count = `
    UPDATE token_gating.credential_status_lists SET used = used + 1
    WHERE id = (SELECT max(id) FROM token_gating.credential_status_lists) AND used < $1 RETURNING id`;
  const open = 'INSERT INTO token_gating.credential_status_lists (used) VALUES (1) RETURNING id';
  const [found] = listRows.parse(await queryRows(manager, count, [maxUsed]));
  const [list] = found ? [found] : listRows.parse(await queryRows(manager, open, []));
  if (!list) throw new Error('No status list was opened');
  return list.id;
}

/** @returns whether the entry was free */
export async function insertStatusEntry(db: Queryable, { list, entry }: StatusEntry): Promise<boolean> {
  const sql = `
    INSERT INTO token_gating.credential_status_entries (list_id, entry) VALUES ($1, $2)
    ON CONFLICT DO NOTHING RETURNING entry`;
  return (await queryRows(db, sql, [list, entry])).length > 0;
}

/** Lists whose successor was opened so long ago that no credential with an entry of theirs can be valid. */
const OUTLIVED = `
  EXISTS (
    SELECT FROM token_gating.credential_status_lists AS next
    WHERE next.id > lists.id AND next.created_at < now() - make_interval(secs => $1))`;

/** @returns the number of deleted entries of outlived lists, at most `limit` */
export async function deleteOutlivedEntries(
  db: Queryable,
  lifetimeSeconds: number,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM token_gating.credential_status_entries WHERE (list_id, entry) IN (
      SELECT list_id, entry FROM token_gating.credential_status_entries
      WHERE list_id IN (SELECT id FROM token_gating.credential_status_lists AS lists WHERE ${OUTLIVED}) LIMIT $2
    ) RETURNING entry`;
  return (await queryRows(db, sql, [lifetimeSeconds, limit])).length;
}

/** Deletes outlived lists without entries. The number of a list is never used again. */
export async function deleteOutlivedLists(db: Queryable, lifetimeSeconds: number): Promise<void> {
  const sql = `
    DELETE FROM token_gating.credential_status_lists AS lists WHERE ${OUTLIVED}
      AND NOT EXISTS (SELECT FROM token_gating.credential_status_entries WHERE list_id = lists.id)`;
  await queryRows(db, sql, [lifetimeSeconds]);
}

const revokedRows = z.array(z.object({ entries: z.array(z.int()) })).max(1);

/**
 * The entries of a list that say `revoked` in a period; undefined for an unknown list. What was committed before the period's first list is
 * published belongs to it, however long its transaction took, and later lists of the period do not change.
 * @param period when it began
 */
export async function findRevokedEntries(
  database: Database,
  list: number,
  period: Date,
): Promise<readonly number[] | undefined> {
  return database.transaction(async (manager) => {
    const begin = `
      UPDATE token_gating.credential_status_lists SET published_from = $2
      WHERE id = $1 AND (published_from IS NULL OR published_from < $2) RETURNING id`;
    const add = `
      UPDATE token_gating.credential_status_entries SET listed_from = $2
      WHERE list_id = $1 AND revoked_at IS NOT NULL AND listed_from IS NULL`;
    if ((await queryRows(manager, begin, [list, period])).length > 0)
      await queryRows(manager, add, [list, period]);
    const read = `
      SELECT ARRAY (
        SELECT entry FROM token_gating.credential_status_entries
        WHERE list_id = id AND revoked_at IS NOT NULL AND listed_from <= $2 ORDER BY entry
      ) AS entries
      FROM token_gating.credential_status_lists WHERE id = $1`;
    return revokedRows.parse(await queryRows(manager, read, [list, period]))[0]?.entries;
  });
}
