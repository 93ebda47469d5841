import { Module } from '@nestjs/common';
import { DasModule } from '../clients/das/das.module.js';
import { OpenSeaModule } from '../clients/open-sea/open-sea.module.js';
import { ChainsModule } from './chains/chains.module.js';
import { MetadataModule } from '../metadata/metadata.module.js';
import { ContractKindsService } from './contract-kinds.service.js';
import { RuleServices } from './rule-services.js';
import { StakingAdaptersService } from './staking/staking-adapters.service.js';
import { StakingConfig } from './staking/staking.config.js';

@Module({
  imports: [ChainsModule, DasModule, MetadataModule, OpenSeaModule],
  providers: [RuleServices, ContractKindsService, StakingAdaptersService, StakingConfig],
  exports: [RuleServices],
})
export class RuleServicesModule {}
