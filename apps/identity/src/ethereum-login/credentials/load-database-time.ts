import { z } from 'zod';

const rows = z.tuple([z.object({ now: z.date() })]);

/**
 * The database's clock decides which credentials were issued before a revocation, so that the result does not depend on the
 * clock of an instance.
 */
export async function loadDatabaseTime(database: {
  query: (sql: string) => Promise<unknown>;
}): Promise<Date> {
  const [{ now }] = rows.parse(await database.query('SELECT now() AS now'));
  return now;
}
