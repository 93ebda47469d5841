import { Injectable } from '@nestjs/common';
import { OpenSeaItemsService } from '../clients/open-sea/open-sea-items.service.js';
import { StakingAdaptersService } from './staking/staking-adapters.service.js';

/** What rule types need beside chains. */
@Injectable()
export class RuleServices {
  constructor(
    readonly openSea: OpenSeaItemsService,
    readonly stakingAdapters: StakingAdaptersService,
  ) {}
}
