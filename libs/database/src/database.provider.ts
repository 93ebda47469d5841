import type { FactoryProvider, Type } from '@nestjs/common';
import { Database } from './database.js';
import { type ConnectionContext, createDatabase, type DatabaseDefinition } from './create-database.js';
import type { ServiceDatabaseSettings } from './database.config.js';

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
