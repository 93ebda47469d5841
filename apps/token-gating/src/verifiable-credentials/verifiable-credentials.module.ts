import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { CredentialIssuerController } from './credential-issuer.controller.js';
import { createCredentialKeyStore, CredentialKeyRing } from './keys/credential-key-ring.js';
import { StatusListsService } from './status/status-lists.service.js';
import { VerifiableCredentialConfig } from './verifiable-credential.config.js';

@Module({
  controllers: [CredentialIssuerController],
  providers: [
    VerifiableCredentialConfig,
    {
      provide: CredentialKeyRing,
      inject: [VerifiableCredentialConfig, Database, ServiceContext],
      // Not a readiness check, because role checks need none of these keys.
      useFactory: (config: VerifiableCredentialConfig, database: Database, { logger }: ServiceContext) =>
        new CredentialKeyRing(createCredentialKeyStore(database, config), logger),
    },
    StatusListsService,
  ],
})
export class VerifiableCredentialsModule {}
