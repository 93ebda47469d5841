import { Injectable, Module } from '@nestjs/common';
import { DasAssetsService } from '../clients/das/das-assets.service.js';
import { DasModule } from '../clients/das/das.module.js';
import { SolanaCoreConfig } from '../clients/das/solana-core.config.js';
import { OpenSeaItemsService } from '../clients/open-sea/open-sea-items.service.js';
import { OpenSeaModule } from '../clients/open-sea/open-sea.module.js';
import { MetadataModule } from '../metadata/metadata.module.js';
import { ChainService, ChainsModule } from './chains/chain.service.js';
import { ExpressionService } from '../metadata/expressions/expression.service.js';
import { MetadataService } from '../metadata/metadata.service.js';
import { ContractKindsService } from './contract-kinds.service.js';
import { StakingAdaptersService, StakingConfig } from './staking/staking-adapters.service.js';

/** What rule types need beside their chain. */
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
  ) {}
}

@Module({
  imports: [ChainsModule, DasModule, MetadataModule, OpenSeaModule],
  providers: [RuleServices, ContractKindsService, StakingAdaptersService, StakingConfig],
  exports: [RuleServices],
})
export class RuleServicesModule {}
