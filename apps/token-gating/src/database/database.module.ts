import { createDatabaseProvider, Database, ServiceDatabaseConfig } from '@app/database';
import { ServiceContext } from '@app/service';
import { Global, Module } from '@nestjs/common';
import { storage } from './storage.js';
import { SweepConfig } from './sweep.config.js';

@Global()
@Module({
  providers: [
    ServiceDatabaseConfig,
    SweepConfig,
    createDatabaseProvider({ definition: storage, config: ServiceDatabaseConfig, context: ServiceContext }),
  ],
  exports: [Database, SweepConfig],
})
export class DatabaseModule {}
