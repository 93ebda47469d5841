import { Global, Module } from '@nestjs/common';
import { Database, databaseProvider } from '@app/database';
import { ServiceContext } from '@app/service';
import { IdentityConfig } from '../identity-config.js';
import { storage } from './storage.js';

@Global()
@Module({
  providers: [IdentityConfig, databaseProvider({ storage, config: IdentityConfig, context: ServiceContext })],
  exports: [IdentityConfig, Database],
})
export class DatabaseModule {}
