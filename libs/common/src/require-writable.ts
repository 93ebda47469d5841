/** PostgreSQL takes no writes in a session: it is a standby, or its `default_transaction_read_only` is on. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';

  constructor() {
    super('PostgreSQL is read-only');
  }
}

/** Asks the server of a connection whether it takes writes. @throws ReadOnlyError, and what the query throws */
export async function requireWritable(
  query: (sql: string) => Promise<{ readonly rows: readonly unknown[] }>,
): Promise<void> {
  const { rows } = await query(`SELECT current_setting('transaction_read_only') AS setting`);
  const [{ setting } = {}] = rows as readonly { setting?: string }[];
  if (setting === 'on') throw new ReadOnlyError();
}
