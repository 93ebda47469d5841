import { Injectable, Module } from '@nestjs/common';
import { DasAssetsService } from '../clients/das/das-assets.service.js';
import { DasClient } from '../clients/das/das.client.js';
import { SolanaCoreConfig } from '../clients/das/solana-core.config.js';
import { OpenSeaItemsService } from '../clients/open-sea/open-sea-items.service.js';
import { OpenSeaClient, OpenSeaConfig } from '../clients/open-sea/open-sea.client.js';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { MetadataModule } from '../metadata/metadata.module.js';
import { ChainService, ChainsModule } from './chains/chain.service.js';
import { ExpressionService } from '../metadata/expressions/expression.service.js';
import { MetadataService } from '../metadata/metadata.service.js';
import { ContractKindsService } from './contract-kinds.service.js';
import { KnownRegistriesService } from './delegations/known-registries.service.js';
import { StakingAdaptersService, StakingConfig } from './staking/staking-adapters.service.js';

/** The services that rule types need beside their chain. */
@Injectable()
export class RuleServices {
  constructor(
    readonly chains: ChainService,
    readonly openSea: OpenSeaItemsService,
    readonly solanaCore: SolanaCoreConfig,
    readonly dasAssets: DasAssetsService,
    readonly stakingAdapters: StakingAdaptersService,
    readonly contractKinds: ContractKindsService,
    readonly metadata: MetadataService,
    readonly expressions: ExpressionService,
    readonly registries: KnownRegistriesService,
  ) {}
}

@Module({
  imports: [ChainsModule, MetadataModule, SafeFetcherModule],
  providers: [
    RuleServices,
    ContractKindsService,
    KnownRegistriesService,
    StakingAdaptersService,
    StakingConfig,
    SolanaCoreConfig,
    DasClient,
    DasAssetsService,
    OpenSeaConfig,
    OpenSeaClient,
    OpenSeaItemsService,
  ],
  exports: [RuleServices],
})
export class RuleServicesModule {}
