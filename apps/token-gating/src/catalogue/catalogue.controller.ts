import { CurrentPrincipal, getTenantId, type Principal } from '@app/auth';
import {
  type ChainList,
  chainList,
  EXAMPLES,
  type RuleTypeList,
  ruleTypeList,
  checkContractAddress,
  queryInteger,
  queryText,
  tokenDetails,
} from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { CatalogueService } from './catalogue.service.js';
import { type TokenDetails, TokenDetailsService } from './token-details.service.js';

const tokenQuery = z
  .object({
    chainId: queryInteger(1, Number.MAX_SAFE_INTEGER).meta({
      description: 'EVM chain id, or the id of a Solana cluster',
      example: EXAMPLES.chainId,
    }),
    contractAddress: queryText.min(1, 'is required: the address of the contract').max(128).meta({
      description: 'Address of the contract, or of the mint',
      example: EXAMPLES.erc20,
    }),
  })
  .check(checkContractAddress);
type TokenQuery = z.output<typeof tokenQuery>;

const byClient = { caller: 'client', scope: 'token-gating' } as const;
const byPage = { ...byClient, allowsPublishableId: true } as const;

/** What rules can be made of, for those who write pages and bots in which rules are made (contract.md section 8). */
@Controller()
export class CatalogueController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly tokens: TokenDetailsService,
  ) {}

  @Get('chains')
  @Operation({
    ...byPage,
    summary: 'List the chains that rules can be about',
    description:
      'The chains for which this deployment has a node: EVM chains whose nodes it names, EVM chains of public nodes, each by ' +
      'their ids, then the clusters of Solana.',
  })
  @Returns(chainList)
  listChains(): ChainList {
    return this.catalogue.listChains();
  }

  @Get('rule-types')
  @Operation({
    ...byPage,
    summary: 'List the rule types',
    description:
      'Each type with the fields that its rules read. A type is not `available` where this deployment has no node of its ' +
      'chains, or lacks the key of the service that it asks.',
  })
  @Returns(ruleTypeList)
  listRuleTypes(): RuleTypeList {
    return this.catalogue.listRuleTypes();
  }

  @Get('tokens')
  @Operation({
    ...byClient,
    summary: 'Read what a contract is',
    description:
      'Name, symbol, decimals and standards of a contract or a mint, as it says them itself, and the rule types that fit. The ' +
      'reads take the share of the tenant, as those of a check.',
    errors: ['400 chain_not_supported', '404 contract_not_found', '503 contract_unavailable'],
  })
  @Returns(tokenDetails)
  async readToken(
    @Query({ schema: tokenQuery }) { chainId, contractAddress }: TokenQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<TokenDetails & { chainId: number }> {
    const details = await this.tokens.read({ chainId, contractAddress, tenantId: getTenantId(principal) });
    return { chainId, ...details };
  }
}
