import pg, { type CustomTypesConfig, type ClientBase } from 'pg';
import { createHash } from 'node:crypto';
import { requireWritable } from '@app/common';
import { DATABASE_CONNECTION_LIFETIME_SECONDS } from '@app/config';
import { DataSource, type DataSourceOptions } from 'typeorm';

const { types } = pg;
const { INT8 } = types.builtins;

/** Reads int8 as bigint instead of text, in one pool instead of the whole process. */
export const INT8_AS_BIGINT_TYPES: CustomTypesConfig = {
  getTypeParser: (...[oid, format]: Parameters<typeof types.getTypeParser>): unknown =>
    oid === INT8 && format !== 'binary' ? BigInt : types.getTypeParser(oid, format),
};

/**
 * Names of statements in one process; later statements are planned each time. The statements of an app are far fewer
 * unless it builds them from its input.
 */
const MAX_NAMES = 500;
const names = new Map<string, string>();

/** Undefined once there are too many, so that no connection holds plans without bound. */
export function toStatementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES) return known;
  const name = createHash('sha256').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

type Query = (query: unknown, values?: unknown, callback?: unknown) => unknown;

/**
 * A connection that lets PostgreSQL parse and plan each statement with parameters once: for the statements of most requests that is more
 * work than their execution.
 */
export class PreparingClient extends pg.Client {
  private readonly send = super.query.bind(this) as Query;

  // The overloads of pg differ in their results only.
  override query = ((query: unknown, values: unknown, callback: unknown) => {
    const name =
      typeof query === 'string' && Array.isArray(values) && values.length > 0
        ? toStatementName(query)
        : undefined;
    if (name === undefined) return this.send(query, values, callback);
    return this.send({ name, text: query, values }, undefined, callback);
  }) satisfies Query as pg.Client['query'];
}

export interface DataSourceSettings {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** The schema that this app owns. */
  schema: string;
  entities: NonNullable<DataSourceOptions['entities']>;
  migrations: NonNullable<DataSourceOptions['migrations']>;
  /** Maximum of connections; `databaseConfigSchema` has the budget. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Called when an idle connection of the pool is lost; the pool replaces it when needed. */
  onConnectionLost: (error: Error) => void;
  /** Default 5,000; 0 disables it. */
  statementTimeoutMs?: number;
  /** Whether each connection keeps the plans of its statements, whose texts must not depend on input. */
  preparesStatements?: boolean;
}

export const MIGRATIONS_TABLE = 'migrations';

const DEFAULT_STATEMENT_TIMEOUT_MS = 5_000;
/** The wait for a free or a new connection: a 503 is better than an endless queue. */
const CONNECTION_TIMEOUT_MS = 3_000;
/** Releases the locks of a transaction whose app was lost. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** Lets the server report its own statement timeout before the client gives up. */
const RESPONSE_GRACE_MS = 2_000;

/**
 * Creates a data source for one schema, with a timeout for every wait. It connects at `initialize()`.
 * Raw queries return int8 as bigint; an entity column needs a transformer.
 */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS, preparesStatements = false } = settings;
  return new DataSource({
    type: 'postgres',
    // TypeORM would load a second copy beside a bundle, whose errors are no instances of this one's pg.DatabaseError.
    driver: pg,
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
      ...(preparesStatements ? { Client: PreparingClient } : {}),
      onConnect: prepareConnection,
      types: INT8_AS_BIGINT_TYPES,
      maxLifetimeSeconds: DATABASE_CONNECTION_LIFETIME_SECONDS,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + RESPONSE_GRACE_MS,
      lock_timeout: CONNECTION_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  });
}

/**
 * pg rejects the running statement of a lost connection and then emits 'error', sometimes twice. TypeORM removes its
 * listener at the first event, and an 'error' event without a listener ends the process.
 */
function ignoreErrorEvents(client: ClientBase): void {
  client.on('error', () => undefined);
}

/** After a failover a connection to the old primary would serve reads of the past until its first write. @throws ReadOnlyError */
async function prepareConnection(client: ClientBase): Promise<void> {
  ignoreErrorEvents(client);
  await requireWritable((sql) => client.query(sql));
}
