import {
  type ChainFamily,
  type ChainList,
  formatCaip2,
  isSolanaChain,
  listRuleTypes,
  type RuleTypeList,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { ChainService } from '../rules/chains/chain.service.js';
import { RuleServices } from '../rules/rule-services.js';

const toFamily = (chainId: number): ChainFamily => (isSolanaChain(chainId) ? 'solana' : 'evm');

/** What rules can be made of in this deployment. */
@Injectable()
export class CatalogueService {
  constructor(
    private readonly chains: ChainService,
    private readonly services: RuleServices,
  ) {}

  listChains(): ChainList {
    return {
      chains: this.chains.listWithNode().map(({ id, name, nativeSymbol, nativeDecimals }) => ({
        ...{ chainId: id, name, family: toFamily(id), caip2: formatCaip2(id), nativeSymbol, nativeDecimals },
      })),
    };
  }

  listRuleTypes(): RuleTypeList {
    const families = new Set(this.chains.listWithNode().map(({ id }) => toFamily(id)));
    return {
      ruleTypes: listRuleTypes().map(({ fields, ...ruleType }) => ({
        ...ruleType,
        available:
          ruleType.type === 'OPEN_SEA'
            ? this.services.openSea.isConfigured
            : ruleType.families.length === 0 || ruleType.families.some((family) => families.has(family)),
        fields,
      })),
    };
  }
}
