import { Global, Module } from '@nestjs/common';
import { Database, createDatabaseProvider } from '@app/database';
import { ServiceContext } from '@app/service';
import { IdentityConfig } from '../common/identity.config.js';
import { storage } from './storage.js';

@Global()
@Module({
  providers: [
    IdentityConfig,
    createDatabaseProvider({ definition: storage, config: IdentityConfig, context: ServiceContext }),
  ],
  exports: [IdentityConfig, Database],
})
export class DatabaseModule {}
