import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { AssetsModule } from '../assets/assets.module.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { CommunitiesModule } from '../communities/communities.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { CredentialIssuerController } from './credential-issuer.controller.js';
import { CredentialSigner } from './credential-signer.js';
import { CredentialsSweeper } from './credentials-sweeper.js';
import { AssetClaimsService, CommunityClaimsService } from './holders/credential-claims.service.js';
import { CredentialViews } from './holders/credential-views.js';
import { IssueCredentialService } from './holders/issue-credential.service.js';
import { KeyProofService } from './holders/key-proof.service.js';
import { createCredentialKeyStore, CredentialKeyRing } from './credential-key-ring.js';
import { RemovedClientsService } from './removed-clients.service.js';
import { StatusListsService } from './status/status-lists.service.js';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { UserCredentialsController } from './user-credentials.controller.js';
import { VerifiableCredentialConfig } from './verifiable-credential.config.js';
import { VerifiableCredentialController } from './verifiable-credential.controller.js';
import { VerifyCredentialService } from './verify-credential.service.js';

@Module({
  imports: [AssetsModule, ChainsModule, CommunitiesModule, IdentityClientModule, RolesModule],
  controllers: [CredentialIssuerController, UserCredentialsController, VerifiableCredentialController],
  providers: [
    VerifiableCredentialConfig,
    {
      provide: CredentialKeyRing,
      inject: [VerifiableCredentialConfig, Database, ServiceContext],
      // The keys are no readiness check, because role checks need none of them.
      useFactory: (config: VerifiableCredentialConfig, database: Database, { logger }: ServiceContext) =>
        new CredentialKeyRing(createCredentialKeyStore(database, config), logger),
    },
    AssetClaimsService,
    CommunityClaimsService,
    CredentialSigner,
    CredentialsSweeper,
    CredentialViews,
    IssueCredentialService,
    KeyProofService,
    RemovedClientsService,
    StatusListsService,
    VerifyCredentialService,
  ],
})
export class VerifiableCredentialsModule {}
