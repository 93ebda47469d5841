import type { PostgresConnection } from 'bullmq';

type Pool = PostgresConnection['pool'];
type PoolClient = Awaited<ReturnType<Pool['connect']>>;

const guardedClients = new WeakSet<PoolClient>();

/** The pool hears idle connections only, and an error event of one that is out would end the process. */
function ignoreErrorEvents(client: PoolClient): void {
  if (guardedClients.has(client)) return;
  guardedClients.add(client);
  // What ended the connection fails the statement too, which says so.
  client.on('error', () => undefined);
}

/** Lends a connection. */
export async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  ignoreErrorEvents(client);
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
