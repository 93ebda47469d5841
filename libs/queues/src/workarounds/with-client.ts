import type { PostgresConnection } from 'bullmq';

type Pool = PostgresConnection['pool'];
type PoolClient = Awaited<ReturnType<Pool['connect']>>;

const guardedClients = new WeakSet<PoolClient>();

/** The pool handles 'error' of idle clients only; of a checked-out client it would end the process. */
function ignoreErrorEvents(client: PoolClient): void {
  if (guardedClients.has(client)) return;
  guardedClients.add(client);
  // The running statement rejects, too.
  client.on('error', () => undefined);
}

/** Checks out a client for some work, and discards it when the work fails. */
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
