import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { IdentityConfig } from '../../common/identity.config.js';
import { createChangePublisher } from '../../tokens/change-feed/create-change-publisher.js';
import { CredentialChangesService } from '../../tokens/change-feed/credential-changes.service.js';
import { CredentialHasher } from './credential-hasher.js';
import { CredentialIssuer } from './credential-issuer.js';
import { ApiKeyQueries } from './api-key.queries.js';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { CredentialsController } from './credentials.controller.js';

@Module({
  controllers: [CredentialsController],
  providers: [
    CredentialChangesService,
    ApiKeyQueries,
    {
      provide: CredentialHasher,
      inject: [IdentityConfig],
      useFactory: (config: IdentityConfig) => new CredentialHasher(config.CREDENTIAL_PEPPER),
    },
    {
      provide: CredentialIssuer,
      inject: [CredentialHasher, IdentityConfig],
      useFactory: (hasher: CredentialHasher, { CREDENTIAL_ENVIRONMENT }: IdentityConfig) =>
        new CredentialIssuer(hasher, CREDENTIAL_ENVIRONMENT),
    },
    {
      provide: CredentialTransactionService,
      inject: [Database, IdentityConfig, ServiceContext],
      useFactory: (database: Database, { REDIS_URL }: IdentityConfig, { logger }: ServiceContext) =>
        new CredentialTransactionService(database, createChangePublisher(REDIS_URL, logger)),
    },
  ],
  exports: [CredentialHasher, CredentialIssuer, CredentialTransactionService],
})
export class CredentialsModule {}
