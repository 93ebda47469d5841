import { Injectable } from '@nestjs/common';
import { DasAssetsService } from '../clients/das/das-assets.service.js';
import { SolanaCoreConfig } from '../clients/das/solana-core.config.js';
import { OpenSeaItemsService } from '../clients/open-sea/open-sea-items.service.js';
import { ChainService } from './chains/chain.service.js';
import { ExpressionService } from '../metadata/expressions/expression.service.js';
import { MetadataService } from '../metadata/metadata.service.js';
import { ContractKindsService } from './contract-kinds.service.js';
import { StakingAdaptersService } from './staking/staking-adapters.service.js';

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
