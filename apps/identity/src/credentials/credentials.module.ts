import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { IdentityConfig } from '../identity-config.js';
import { announceChanges } from './announce-changes.js';
import { ChangeFeed } from './change-feed.js';
import { CredentialHasher } from './credential-hasher.js';
import { CredentialIssuer } from './credential-issuer.js';
import { CredentialLookup } from './credential-lookup.js';
import { CredentialWrites } from './credential-writes.js';
import { CredentialsController } from './credentials.controller.js';

@Module({
  controllers: [CredentialsController],
  providers: [
    ChangeFeed,
    CredentialLookup,
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
      provide: CredentialWrites,
      inject: [Database, IdentityConfig, ServiceContext],
      useFactory: (database: Database, { REDIS_URL }: IdentityConfig, { logger }: ServiceContext) =>
        new CredentialWrites(database, announceChanges(REDIS_URL, logger)),
    },
  ],
  exports: [CredentialHasher, CredentialIssuer, CredentialWrites],
})
export class CredentialsModule {}
