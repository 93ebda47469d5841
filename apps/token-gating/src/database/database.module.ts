import { Database, databaseProvider, StorageConfig } from '@app/database';
import { ServiceContext } from '@app/service';
import { Global, Module } from '@nestjs/common';
import { storage } from './storage.js';

@Global()
@Module({
  providers: [StorageConfig, databaseProvider({ storage, config: StorageConfig, context: ServiceContext })],
  exports: [Database],
})
export class DatabaseModule {}
