import type { PostgresConnection } from 'bullmq';

type Pool = PostgresConnection['pool'];
type PoolClient = Awaited<ReturnType<Pool['connect']>>;

const heard = new WeakSet<PoolClient>();

/** The pool hears idle connections only, and an error event of one that is out would end the process. */
function hear(client: PoolClient): void {
  if (heard.has(client)) return;
  heard.add(client);
  // What ended the connection fails the statement too, which says so.
  client.on('error', () => undefined);
}

/** Lends a connection. */
export async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  hear(client);
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
