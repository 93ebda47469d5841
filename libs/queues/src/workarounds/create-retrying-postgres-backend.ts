import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertSchemaCompatibility,
  type BackendFactory,
  createPostgresBackend,
  type PostgresConnection,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq';
import { withClient } from './with-client.js';

const RETRY_DELAY_MS = 250;

/** Works around BullMQ 6, whose PostgreSQL backend never retries a failed first connection. Retries until it is closed. */
export const createRetryingPostgresBackend: BackendFactory<
  PostgresQueueBackend,
  PostgresConnectionOptions
> = (name, options, extra) => {
  const backend = createPostgresBackend(name, options, extra);
  const { connection } = backend;
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
