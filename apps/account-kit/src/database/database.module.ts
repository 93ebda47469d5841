import { Database, createDatabaseProvider, ServiceDatabaseConfig } from '@app/database';
import { ServiceContext } from '@app/service';
import { Global, Module } from '@nestjs/common';
import { storage } from './storage.js';

@Global()
@Module({
  providers: [
    ServiceDatabaseConfig,
    createDatabaseProvider({ definition: storage, config: ServiceDatabaseConfig, context: ServiceContext }),
  ],
  exports: [Database],
})
export class DatabaseModule {}
