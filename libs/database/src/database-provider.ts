import type { FactoryProvider, Type } from '@nestjs/common';
import { Database } from './database.js';
import { type DatabaseUser, openDatabase, type Storage } from './open-database.js';
import type { StorageSettings } from './storage-config.js';

/** What a database needs of the app around it. @app/service's ServiceContext is one. */
export interface DatabaseContext extends DatabaseUser {
  readonly readiness: {
    /** Something that the app cannot work without. The check rejects with the reason. */
    require: (name: string, check: () => Promise<void>) => void;
  };
}

export interface DatabaseProviderParts {
  storage: Storage;
  /** Injection tokens. */
  config: Type<StorageSettings>;
  context: Type<DatabaseContext>;
}

/** `Database` for an app that is not ready without it. */
export const databaseProvider = ({
  storage,
  config,
  context,
}: DatabaseProviderParts): FactoryProvider<Database> => ({
  provide: Database,
  inject: [config, context],
  useFactory: (settings: StorageSettings, user: DatabaseContext) => {
    const database = openDatabase(storage, settings, user);
    user.readiness.require('database', () => database.check());
    return database;
  },
});
