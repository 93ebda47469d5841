import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { ChecksModule } from '../checks/checks.module.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { ChainsModule } from '../rules/chains/chain.service.js';
import {
  AssetClaimsController,
  AssetOwnershipController,
  BalancesController,
} from './asset-ownership.controller.js';
import { AssetOwnershipService } from './asset-ownership.service.js';
import { WalletBalancesService } from './balances/wallet-balances.service.js';
import { WatchedAssets, WatchedTokensConfig } from './balances/watched-assets.js';
import { AssetListService } from './lists/asset-list.service.js';
import { LogScanConfig, ReceivedTokensService } from './lists/received-tokens.service.js';
import { AssetClaimConfig } from './verification/asset-claim.config.js';
import { ClaimDetailsService } from './verification/claim-details.service.js';
import { ClaimKeyRing, createClaimKeyStore } from './verification/claim-key-ring.js';
import { ClaimTokenService, ExpiredClaimsSweeper } from './verification/claim-token.service.js';
import { CreateClaimService } from './verification/create-claim.service.js';
import { VerifyClaimService } from './verification/verify-claim.service.js';

@Module({
  imports: [ChainsModule, ChecksModule, IdentityClientModule, RuleServicesModule],
  controllers: [AssetClaimsController, AssetOwnershipController, BalancesController],
  providers: [
    AssetClaimConfig,
    AssetListService,
    AssetOwnershipService,
    ClaimDetailsService,
    {
      provide: ClaimKeyRing,
      inject: [AssetClaimConfig, Database, ServiceContext],
      // The keys are no readiness check, because role checks need none of them.
      useFactory: (config: AssetClaimConfig, database: Database, { logger }: ServiceContext) =>
        new ClaimKeyRing(createClaimKeyStore(database, config), logger),
    },
    ClaimTokenService,
    CreateClaimService,
    ExpiredClaimsSweeper,
    LogScanConfig,
    ReceivedTokensService,
    VerifyClaimService,
    WalletBalancesService,
    WatchedAssets,
    WatchedTokensConfig,
  ],
  exports: [AssetOwnershipService, ClaimKeyRing],
})
export class AssetsModule {}
