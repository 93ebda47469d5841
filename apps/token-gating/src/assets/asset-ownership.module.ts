import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../checks/check-roles.module.js';
import { IdentityClientModule } from '../clients/identity-client.module.js';
import { RuleServicesModule } from '../rules/rule-services.module.js';
import { ChainsModule } from '../rules/chains/chains.module.js';
import { SubjectsModule } from '../subjects/subjects.module.js';
import { AssetOwnershipController } from './asset-ownership.controller.js';
import { BalancesModule } from './balances/balances.module.js';
import { AssetListService } from './lists/asset-list.service.js';
import { LogScanConfig } from './lists/log-scan.config.js';
import { ReceivedTokensService } from './lists/received-tokens.service.js';
import { AssetOwnershipService } from './ownership/asset-ownership.service.js';
import { AssetClaimConfig } from './verification/asset-claim.config.js';
import { AssetClaimsController } from './verification/asset-claims.controller.js';
import { ClaimDetailsService } from './verification/claim-details.service.js';
import { ClaimTokenService } from './verification/claim-token.service.js';
import { CreateClaimService } from './verification/create-claim.service.js';
import { ExpiredClaimsSweeper } from './verification/expired-claims-sweeper.js';
import { ClaimKeysModule } from './verification/keys/claim-keys.module.js';
import { VerifyClaimService } from './verification/verify-claim.service.js';

@Module({
  imports: [
    BalancesModule,
    ChainsModule,
    CheckRolesModule,
    ClaimKeysModule,
    IdentityClientModule,
    RuleServicesModule,
    SubjectsModule,
  ],
  controllers: [AssetClaimsController, AssetOwnershipController],
  providers: [
    AssetClaimConfig,
    AssetListService,
    AssetOwnershipService,
    ClaimDetailsService,
    ClaimTokenService,
    CreateClaimService,
    ExpiredClaimsSweeper,
    LogScanConfig,
    ReceivedTokensService,
    VerifyClaimService,
  ],
  exports: [AssetOwnershipService],
})
export class AssetOwnershipModule {}
