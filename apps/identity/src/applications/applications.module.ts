import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { IdentityConfig } from '../common/identity.config.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { ClientApplicationController } from './client-application.controller.js';
import { ClientApplicationsService } from './client-applications.service.js';
import { ApplicationCredentialsService } from './credentials/application-credentials.service.js';
import { CredentialHasher, CredentialIssuer } from './credentials/credential-issuer.js';
import { ClientPlansController, CredentialsController, UserPlansController } from './internal.controller.js';
import { PublishableIdController } from './publishable-ids/publishable-id.controller.js';
import { PublishableIdsService } from './publishable-ids/publishable-ids.service.js';
import { PlanUsageService } from './plans/plan-usage.service.js';

@Module({
  imports: [ClientsModule, TokensModule],
  controllers: [
    ClientApplicationController,
    ClientPlansController,
    CredentialsController,
    PublishableIdController,
    UserPlansController,
  ],
  providers: [
    ApplicationCredentialsService,
    ClientApplicationsService,
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
    PlanUsageService,
    PublishableIdsService,
  ],
  exports: [
    ApplicationCredentialsService,
    ClientApplicationsService,
    CredentialHasher,
    CredentialIssuer,
    PlanUsageService,
    PublishableIdsService,
  ],
})
export class ApplicationsModule {}
