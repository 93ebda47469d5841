import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertSchemaCompatibility,
  type BackendFactory,
  createPostgresBackend,
  type PostgresConnection,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq';
import { sharePool } from './share-pool.js';
import { withClient } from './with-client.js';

const RETRY_DELAY_MS = 250;

/** The pools of connections, by whose statements run on them. */
export interface SharedPools {
  readonly producers: PostgresConnection;
  readonly workers: PostgresConnection;
}

type PostgresBackendFactory = BackendFactory<PostgresQueueBackend, PostgresConnectionOptions>;

/** Works around BullMQ 6, whose PostgreSQL backend never retries a failed first connection. Retries until it is closed. */
export const createRetryingPostgresBackend =
  ({ producers, workers }: SharedPools): PostgresBackendFactory =>
  (name, options, extra) => {
    const backend = createPostgresBackend(name, options, extra);
    const { connection } = backend;
    sharePool(connection, extra?.withBlockingConnection ? workers : producers);
    let ready: Promise<void> | undefined;
    connection.waitUntilReady = () => (ready ??= waitUntilReady(connection));
    return backend;
  };

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
