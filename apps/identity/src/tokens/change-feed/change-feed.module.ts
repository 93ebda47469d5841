import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { IdentityConfig } from '../../common/identity.config.js';
import { createChangePublisher } from './create-change-publisher.js';
import { CredentialChangesController, CredentialChangesService } from './credential-changes.controller.js';
import { CredentialTransactionService } from './credential-transaction.service.js';

@Module({
  controllers: [CredentialChangesController],
  providers: [
    CredentialChangesService,
    {
      provide: CredentialTransactionService,
      inject: [Database, IdentityConfig, ServiceContext],
      useFactory: (database: Database, { REDIS_URL }: IdentityConfig, { logger }: ServiceContext) =>
        new CredentialTransactionService(database, createChangePublisher(REDIS_URL, logger)),
    },
  ],
  exports: [CredentialTransactionService],
})
export class ChangeFeedModule {}
