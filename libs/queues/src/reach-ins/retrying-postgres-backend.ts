import {
  type PostgresConnection,
  assertSchemaCompatibility,
  type BackendFactory,
  createPostgresBackend,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireWritable } from '@app/common';

/**
 * Works around BullMQ 6.7.0 (https://github.com/taskforcesh/bullmq), which opens a pool of connections for each queue and each worker. Its connection for LISTEN, which
 * stays busy, remains its own; everything else is one statement at a time.
 */
function sharePool(connection: PostgresConnection, shared: PostgresConnection): void {
  void connection.pool.end(); // nothing has connected yet
  Object.assign(connection, { pool: shared.pool, ownsPool: false });
}

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

const RETRY_DELAY_MS = 250;

/** The pools of connections, by whose statements run on them. */
export interface SharedPools {
  readonly producers: PostgresConnection;
  readonly workers: PostgresConnection;
}

type PostgresBackendFactory = BackendFactory<PostgresQueueBackend, PostgresConnectionOptions>;

/** Works around BullMQ 6.7.0, whose PostgreSQL backend never retries a failed first connection. Retries until it is closed. */
export const createRetryingPostgresBackend =
  ({ producers, workers }: SharedPools): PostgresBackendFactory =>
  (name, options, extra) => {
    const backend = createPostgresBackend(name, options, extra);
    const { connection } = backend;
    sharePool(connection, extra?.withBlockingConnection ? workers : producers);
    leaveReadOnlyServers(connection);
    let ready: Promise<void> | undefined;
    connection.waitUntilReady = () => (ready ??= waitUntilReady(connection));
    return backend;
  };

/**
 * Works around BullMQ 6.7.0, whose connection for LISTEN stays at a standby, where LISTEN fails: after a failover whose old primary comes back
 * as a standby a worker would take no job any more until the process is restarted. An 'error' makes BullMQ open another connection.
 */
function leaveReadOnlyServers(connection: PostgresConnection): void {
  const getListenClient = connection.getListenClient.bind(connection);
  const writable = new WeakSet<object>();
  connection.getListenClient = async () => {
    const client = await getListenClient();
    if (writable.has(client)) return client;
    try {
      await requireWritable((sql) => client.query(sql));
    } catch (error) {
      if (client instanceof EventEmitter) client.emit('error', error);
      // The worker asks again at once, and would open ten connections a second.
      await sleep(RETRY_DELAY_MS, undefined, { ref: false });
      throw error;
    }
    writable.add(client);
    return client;
  };
}

async function waitUntilReady(connection: PostgresConnection): Promise<void> {
  while (!connection.isClosing) {
    try {
      await withClient(connection.pool, (client) => assertSchemaCompatibility(client, connection.schema));
      setImmediate(() => connection.emit('ready'));
      return;
    } catch (error) {
      if (connection.listenerCount('error') > 0) connection.emit('error', error);
      await sleep(RETRY_DELAY_MS, undefined, { ref: false });
    }
  }
  throw new Error('The queue was closed before it was connected');
}
