/** @import { Client } from 'pg' */

/**
 * Does work over one connection, which is closed after it.
 * @template T
 * @param {string} databaseUrl
 * @param {(client: Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withConnection(databaseUrl, work) {
  // Loaded late: `npm start` installs it first.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
