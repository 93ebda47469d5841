import type { Logger } from 'pino';
import { createDataSource, type DataSourceSettings } from './create-data-source.js';
import { Database } from './database.js';
import type { ServiceDatabaseSettings } from './database.config.js';
import type { FactoryProvider, Type } from '@nestjs/common';

/** The schema, entities and migrations of one app. */
export type DatabaseDefinition = Pick<
  DataSourceSettings,
  'schema' | 'entities' | 'migrations' | 'preparesStatements'
>;

interface ConnectionContext {
  /** Shown in pg_stat_activity. */
  readonly name: string;
  readonly logger: Logger;
}

/** Creates an app's `Database`, without connecting. */
export function createDatabase(
  definition: DatabaseDefinition,
  settings: ServiceDatabaseSettings,
  { name, logger }: ConnectionContext,
): Database {
  const dataSource = createDataSource({
    ...definition,
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    applicationName: name,
    onConnectionLost: (error) => {
      logger.warn({ reason: error.message }, 'idle database connection lost');
    },
  });
  return new Database(dataSource, logger);
}

/** The app around the database; ServiceContext of @app/service implements it. */
export interface DatabaseContext extends ConnectionContext {
  readonly readiness: { addCheck: (name: string, check: () => Promise<void>) => void };
}

export interface DatabaseProviderOptions {
  definition: DatabaseDefinition;
  /** Injection tokens. */
  config: Type<ServiceDatabaseSettings>;
  context: Type<DatabaseContext>;
}

/** Provides `Database`, and makes the app's readiness depend on it. */
export const createDatabaseProvider = ({
  definition,
  config,
  context,
}: DatabaseProviderOptions): FactoryProvider<Database> => ({
  provide: Database,
  inject: [config, context],
  useFactory: (settings: ServiceDatabaseSettings, app: DatabaseContext) => {
    const database = createDatabase(definition, settings, app);
    app.readiness.addCheck('database', () => database.check());
    return database;
  },
});
