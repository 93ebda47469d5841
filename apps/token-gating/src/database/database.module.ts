import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Global, Module } from '@nestjs/common';
import { StorageConfig } from './database.config.js';
import { openDatabase } from './open-database.js';

@Global()
@Module({
  providers: [
    StorageConfig,
    {
      provide: Database,
      inject: [StorageConfig, ServiceContext],
      useFactory: (config: StorageConfig, { logger, readiness }: ServiceContext) => {
        const database = openDatabase(config, logger);
        readiness.require('database', () => database.check());
        return database;
      },
    },
  ],
  exports: [Database],
})
export class DatabaseModule {}
