import { Global, Module } from '@nestjs/common';
import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { IdentityConfig } from '../identity-config.js';
import { openDatabase } from './open-database.js';

@Global()
@Module({
  providers: [
    IdentityConfig,
    {
      provide: Database,
      inject: [IdentityConfig, ServiceContext],
      useFactory: (config: IdentityConfig, { logger, readiness }: ServiceContext) => {
        const database = openDatabase(config, logger);
        readiness.require('database', () => database.check());
        return database;
      },
    },
  ],
  exports: [IdentityConfig, Database],
})
export class DatabaseModule {}
