import pg from 'pg';

/** Runs one statement on its own connection. @returns the rows */
export async function queryDatabase(
  url: string,
  sql: string,
  parameters: unknown[] = [],
): Promise<unknown[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
  });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, parameters);
    return rows;
  } finally {
    await client.end();
  }
}
