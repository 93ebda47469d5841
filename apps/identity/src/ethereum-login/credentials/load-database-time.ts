import { z } from 'zod';

const rows = z.tuple([z.object({ now: z.date() })]);

/**
 * The one clock by which credentials are made and ended together: which of them came before the end does not depend on which
 * instance was asked. A nonce's MAC binds the expiry, which is always the same time after.
 */
export async function loadDatabaseTime(database: {
  query: (sql: string) => Promise<unknown>;
}): Promise<Date> {
  const [{ now }] = rows.parse(await database.query('SELECT now() AS now'));
  return now;
}
