import type { ClientBase } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import pg, { type CustomTypesConfig } from 'pg';

const { types } = pg;
const { INT8 } = types.builtins;

/** Reads int8 as bigint instead of text, for one pool: the parsers of the process stay as they are. */
export const INT8_AS_BIGINT_TYPES: CustomTypesConfig = {
  getTypeParser: (...[oid, format]: Parameters<typeof types.getTypeParser>): unknown =>
    oid === INT8 && format !== 'binary' ? BigInt : types.getTypeParser(oid, format),
};

export interface DataSourceSettings {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** The one schema that this app owns. */
  schema: string;
  entities: NonNullable<DataSourceOptions['entities']>;
  migrations: NonNullable<DataSourceOptions['migrations']>;
  /** Connections at most; see `databaseConfigSchema` for the budget. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** A pooled connection was lost while nobody used it. The pool makes a new one when it is needed. */
  onConnectionLost: (error: Error) => void;
  /** The server ends a statement after this many milliseconds, 5,000 unless told; 0 for never. */
  statementTimeoutMs?: number;
}

export const MIGRATIONS_TABLE = 'migrations';

const DEFAULT_STATEMENT_TIMEOUT_MS = 5_000;
/** Waiting for a free connection or for a new one: an answer of 503 is better than a queue without an end. */
const CONNECTION_TIMEOUT_MS = 3_000;
/** For a transaction whose app was lost without a goodbye: its locks stand in everybody's way. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The server gets to say that it gave up; this is for a server that says nothing any more. */
const RESPONSE_GRACE_MS = 2_000;

/**
 * One schema, no synchronization, every wait bounded. Nothing connects before `initialize()`.
 * Raw queries give int8 as bigint; entities choose with a column transformer.
 */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS } = settings;
  return new DataSource({
    type: 'postgres',
    url: settings.url,
    schema: settings.schema,
    entities: settings.entities,
    migrations: settings.migrations,
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    logging: false,
    applicationName: settings.applicationName,
    poolSize: settings.poolSize,
    connectTimeoutMS: CONNECTION_TIMEOUT_MS,
    poolErrorHandler: settings.onConnectionLost,
    extra: {
      keepAlive: true,
      onConnect: ignoreErrorEvents,
      types: INT8_AS_BIGINT_TYPES,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + RESPONSE_GRACE_MS,
      lock_timeout: CONNECTION_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  });
}

/**
 * pg reports a lost connection to the statement under way and then as an event, sometimes twice. TypeORM stops
 * listening at the first, and an event that nobody listens to ends the process.
 */
function ignoreErrorEvents(client: ClientBase): void {
  client.on('error', () => undefined);
}
