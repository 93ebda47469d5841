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

/** The schema of BullMQ's tables. */
const QUEUE_SCHEMA = 'queue';

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Per producer or worker; a worker has one more for LISTEN. More connections did not increase throughput. */
const MAX_CONNECTIONS = 2;

export class PostgresBackend implements QueueBackend {
  readonly kind = 'postgres';
  readonly producerConnection: ConnectionOptions;
  readonly workerConnection: ConnectionOptions;
  /** Not needed: the schema separates these queues from others. */
  readonly prefix = '';
  private readonly probeConnection: PostgresConnection;
  private hasSchema = false;

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
    // The types of @nestjs/bullmq allow Redis options only.
    this.producerConnection = this.workerConnection = config as ConnectionOptions;
    this.probeConnection = new PostgresConnection({ ...config, max: 1, query_timeout: CONNECT_TIMEOUT_MS });
    this.probeConnection.on('error', (error: Error) => {
      logger.debug({ reason: error.message }, 'idle queue connection lost');
    });
  }

  install(): void {
    setDefaultBackendFactory(createRetryingPostgresBackend);
  }

  async probe(): Promise<void> {
    await withClient(this.probeConnection.pool, async (client) => {
      if (this.hasSchema) await client.query('SELECT 1');
      else await ensureQueueSchema(client, QUEUE_SCHEMA, this.logger);
    });
    this.hasSchema = true;
  }

  close(): Promise<void> {
    return this.probeConnection.close();
  }
}
