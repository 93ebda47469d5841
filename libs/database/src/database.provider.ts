import type { FactoryProvider, Type } from '@nestjs/common';
import { Database } from './database.js';
import { type ConnectionContext, createDatabase, type DatabaseDefinition } from './create-database.js';
import type { ServiceDatabaseSettings } from './database.config.js';

/** What a database needs of the app around it. @app/service's ServiceContext is one. */
export interface DatabaseContext extends ConnectionContext {
  readonly readiness: {
    /** Something that the app cannot work without. The check rejects with the reason. */
    require: (name: string, check: () => Promise<void>) => void;
  };
}

export interface DatabaseProviderOptions {
  definition: DatabaseDefinition;
  /** Injection tokens. */
  config: Type<ServiceDatabaseSettings>;
  context: Type<DatabaseContext>;
}

/** `Database` for an app that is not ready without it. */
export const createDatabaseProvider = ({
  definition,
  config,
  context,
}: DatabaseProviderOptions): FactoryProvider<Database> => ({
  provide: Database,
  inject: [config, context],
  useFactory: (settings: ServiceDatabaseSettings, user: DatabaseContext) => {
    const database = createDatabase(definition, settings, user);
    user.readiness.require('database', () => database.check());
    return database;
  },
});
