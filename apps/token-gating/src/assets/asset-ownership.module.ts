import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../checks/check-roles.module.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { SubjectsModule } from '../subjects/user-addresses.service.js';
import { AssetClaimsController, AssetOwnershipController } from './asset-ownership.controller.js';
import { BalancesModule } from './balances/balances.module.js';
import { AssetListService } from './lists/asset-list.service.js';
import { LogScanConfig, ReceivedTokensService } from './lists/received-tokens.service.js';
import { AssetOwnershipService } from './asset-ownership.service.js';
import { AssetClaimConfig } from './verification/asset-claim.config.js';
import { ClaimDetailsService } from './verification/claim-details.service.js';
import { ClaimTokenService, ExpiredClaimsSweeper } from './verification/claim-token.service.js';
import { CreateClaimService } from './verification/create-claim.service.js';
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
