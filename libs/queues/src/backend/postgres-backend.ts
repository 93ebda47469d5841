import { ReadOnlyError, requireWritable } from '@app/common';
import { DATABASE_CONNECTION_LIFETIME_SECONDS } from '@app/config';
import {
  assertSchemaCompatibility,
  type ConnectionOptions,
  LATEST_SCHEMA_VERSION,
  type PgPoolClient,
  PostgresConnection,
  type PostgresPoolConfig,
  runMigrations,
  setDefaultBackendFactory,
} from 'bullmq';
import type { Logger } from 'pino';
import {
  createRetryingPostgresBackend,
  type SharedPools,
  withClient,
} from '../reach-ins/retrying-postgres-backend.js';
import { type QueueBackend, WriteRefusedError } from './queue-backend.js';

/** SQLSTATE invalid_schema_name. */
const INVALID_SCHEMA_NAME = '3F000';

/**
 * Runs BullMQ's migrations, once even when several processes start together. With an up-to-date schema the role needs no
 * privilege to create anything.
 */
async function ensureQueueSchema(client: PgPoolClient, schema: string, logger: Logger): Promise<void> {
  if ((await loadSchemaVersion(client, schema)) >= LATEST_SCHEMA_VERSION) return;
  const version = await runMigrations(client, schema);
  logger.info({ schema, version }, 'queue schema migrated');
}

async function loadSchemaVersion(client: PgPoolClient, schema: string): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, schema);
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === 'SchemaMigrationRequiredError' || code === INVALID_SCHEMA_NAME) return 0;
    throw error;
  }
}

/** The schema of BullMQ's tables. */
const QUEUE_SCHEMA = 'queue';

/** After a failover a connection to the old primary would serve reads of the past until its first write. @throws ReadOnlyError */
const refuseReadOnly = (client: PgPoolClient): Promise<void> => requireWritable((sql) => client.query(sql));

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * Connections of all producers of the process, and of all workers; each worker has one more for LISTEN. More did not
 * increase throughput. Producers have their own, so that no request waits for the statements of jobs; those are short,
 * so that a queue with many jobs delays another's by milliseconds.
 */
const MAX_CONNECTIONS = 4;

export class PostgresBackend implements QueueBackend {
  readonly kind = 'postgres';
  readonly producerConnection: ConnectionOptions;
  readonly workerConnection: ConnectionOptions;
  /** PostgreSQL needs no prefix: the schema separates these queues from others. */
  readonly prefix = '';
  private readonly probeConnection: PostgresConnection;
  private readonly pools: SharedPools;
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
      maxLifetimeSeconds: DATABASE_CONNECTION_LIFETIME_SECONDS,
    };
    // The types of @nestjs/bullmq allow Redis options only.
    this.producerConnection = this.workerConnection = config as ConnectionOptions;
    this.probeConnection = new PostgresConnection({ ...config, max: 1, query_timeout: CONNECT_TIMEOUT_MS });
    const writable = { ...config, onConnect: refuseReadOnly };
    this.pools = { producers: new PostgresConnection(writable), workers: new PostgresConnection(writable) };
    for (const connection of this.listConnections())
      connection.on('error', (error: Error) => {
        logger.debug({ reason: error.message }, 'idle queue connection lost');
      });
  }

  install(): void {
    setDefaultBackendFactory(createRetryingPostgresBackend(this.pools));
  }

  async probe(): Promise<void> {
    await withClient(this.probeConnection.pool, async (client) => {
      // The client is discarded, and the next one may reach another server.
      await requireWritable((sql) => client.query(sql)).catch((error: unknown) => {
        throw error instanceof ReadOnlyError ? new WriteRefusedError(error.message) : error;
      });
      if (!this.hasSchema) await ensureQueueSchema(client, QUEUE_SCHEMA, this.logger);
    });
    this.hasSchema = true;
  }

  async close(): Promise<void> {
    await Promise.all(this.listConnections().map((connection) => connection.close()));
  }

  private listConnections(): PostgresConnection[] {
    return [this.probeConnection, this.pools.producers, this.pools.workers];
  }
}
