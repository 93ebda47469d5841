import {
  type ConnectionOptions,
  PostgresConnection,
  type PostgresPoolConfig,
  setDefaultBackendFactory,
} from 'bullmq';
import type { Logger } from 'pino';
import { createRetryingPostgresBackend } from '../workarounds/create-retrying-postgres-backend.js';
import { ensureQueueSchema } from './ensure-queue-schema.js';
import type { QueueBackend } from './queue-backend.js';
import { withClient } from '../workarounds/with-client.js';

/** BullMQ's tables, beside the schemas of the apps. */
export const QUEUE_SCHEMA = 'queue';

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** A producer's or worker's; a worker has one more that listens. More of them brought no speed. */
const MAX_CONNECTIONS = 2;

export class PostgresBackend implements QueueBackend {
  readonly kind = 'postgres';
  readonly producerConnection: ConnectionOptions;
  readonly workerConnection: ConnectionOptions;
  /** The schema is what sets queues apart here. */
  readonly prefix = '';
  private readonly probing: PostgresConnection;
  private isPrepared = false;

  constructor(
    url: string,
    applicationName: string,
    private readonly logger: Logger,
  ) {
    const config: PostgresPoolConfig = {
      connectionString: url,
      schema: QUEUE_SCHEMA,
      max: MAX_CONNECTIONS,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
      keepAlive: true,
    };
    // Nest's module knows BullMQ's options for Redis alone; who gets them knows better.
    this.producerConnection = this.workerConnection = config as ConnectionOptions;
    this.probing = new PostgresConnection({ ...config, max: 1, query_timeout: CONNECT_TIMEOUT_MS });
    this.probing.on('error', (error: Error) => {
      logger.debug({ reason: error.message }, 'an idle queue connection was lost');
    });
  }

  install(): void {
    setDefaultBackendFactory(createRetryingPostgresBackend);
  }

  async probe(): Promise<void> {
    await withClient(this.probing.pool, async (client) => {
      if (this.isPrepared) await client.query('SELECT 1');
      else await ensureQueueSchema(client, QUEUE_SCHEMA, this.logger);
    });
    this.isPrepared = true;
  }

  close(): Promise<void> {
    return this.probing.close();
  }
}
