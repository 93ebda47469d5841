import type { Logger } from 'pino';
import { createDataSource, type DataSourceSettings } from './create-data-source.js';
import { Database } from './database.js';
import type { ServiceDatabaseSettings } from './database.config.js';

/** What an app owns in PostgreSQL. */
export type DatabaseDefinition = Pick<DataSourceSettings, 'schema' | 'entities' | 'migrations'>;

export interface ConnectionContext {
  /** Shown in pg_stat_activity. */
  readonly name: string;
  readonly logger: Logger;
}

/** An app's database, not connected yet. */
export function createDatabase(
  storage: DatabaseDefinition,
  settings: ServiceDatabaseSettings,
  { name, logger }: ConnectionContext,
): Database {
  const dataSource = createDataSource({
    ...storage,
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    applicationName: name,
    onConnectionLost: (error) => {
      logger.warn({ reason: error.message }, 'an idle database connection was lost');
    },
  });
  return new Database(dataSource, logger);
}
