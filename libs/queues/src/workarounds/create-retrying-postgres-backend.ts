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

/**
 * BullMQ's PostgreSQL backend, which remembers a first contact that failed for ever. This one goes on trying until it
 * is closed, as the one for Redis does.
 */
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
  throw new Error('The queue was closed before its database answered');
}
