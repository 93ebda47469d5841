import { CurrentPrincipal, getTenantId, type Principal } from '@app/auth';
import {
  type ChainFamily,
  chainFamily,
  EXAMPLES,
  findAddressProblem,
  formatCaip2,
  isSolanaAddress,
  isSolanaChain,
  listRuleTypes,
  queryInteger,
  queryText,
  RULE_TYPES,
  ruleTypeField,
} from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { ChainService } from '../rules/chains/chain.service.js';
import { RuleServices } from '../rules/rule-services.js';
import { TOKEN_STANDARDS, type TokenDetails, TokenDetailsService } from './token-details.service.js';

const chainList = z
  .object({
    chains: z.array(
      z.object({
        chainId: z.int(),
        name: z.string(),
        family: chainFamily,
        caip2: z.string().describe('CAIP-2.'),
        nativeSymbol: z.string().describe('Symbol of the coin, such as ETH.'),
        nativeDecimals: z.int(),
      }),
    ),
  })
  .meta({ id: 'ChainList', description: 'The chains that rules can be about.' });
type ChainList = z.output<typeof chainList>;

const ruleTypeList = z
  .object({
    ruleTypes: z.array(
      z.object({
        type: z.enum(RULE_TYPES),
        summary: z.string().describe('What people hold who fit a rule of the type.'),
        families: z
          .array(chainFamily)
          .describe('Families of the chains that a rule may be about; empty where it names none.'),
        available: z.boolean().describe('Whether this deployment has what rules of the type need.'),
        fields: z.array(ruleTypeField),
      }),
    ),
  })
  .meta({ id: 'RuleTypeList', description: 'The rule types and the fields that each of them reads.' });
type RuleTypeList = z.output<typeof ruleTypeList>;

const tokenDetails = z
  .object({
    chainId: z.int(),
    contractAddress: z.string().describe('With its checksum on EVM chains.'),
    name: z.string().optional(),
    symbol: z.string().optional(),
    decimals: z.int().optional().describe('Absent for what cannot be split.'),
    standards: z.array(z.enum(TOKEN_STANDARDS)).describe('Empty where the contract is none of these.'),
    ruleTypes: z.array(z.enum(RULE_TYPES)).describe('The rule types that fit, the likeliest first.'),
  })
  .meta({
    id: 'TokenDetails',
    description: 'What a contract or a mint says of itself. Nobody has checked it.',
  });

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
  .check(({ value: { chainId, contractAddress }, issues }) => {
    if (issues.length > 0) return;
    const message = findProblem(chainId, contractAddress);
    if (message === undefined) return;
    issues.push({ code: 'custom', path: ['contractAddress'], message, input: contractAddress });
  });
type TokenQuery = z.output<typeof tokenQuery>;

function findProblem(chainId: number, address: string): string | undefined {
  if (!isSolanaChain(chainId)) return findAddressProblem(address, [chainId]);
  return isSolanaAddress(address) ? undefined : 'must be a Solana address: 32 bytes in base58';
}

const byClient = { caller: 'client', scope: 'token-gating' } as const;

/** What rules can be made of, for those who write pages and bots in which rules are made (contract.md section 8). */
@Controller()
export class CatalogueController {
  constructor(
    private readonly chains: ChainService,
    private readonly services: RuleServices,
    private readonly tokens: TokenDetailsService,
  ) {}

  @Get('chains')
  @Operation({
    ...byClient,
    summary: 'List the chains that rules can be about',
    description:
      'The chains for which this deployment has a node: EVM chains by their id, then the clusters of Solana.',
  })
  @Returns(chainList)
  listChains(): ChainList {
    return {
      chains: this.chains.listWithNode().map(({ id, name, nativeSymbol, nativeDecimals }) => ({
        ...{ chainId: id, name, family: toFamily(id), caip2: formatCaip2(id), nativeSymbol, nativeDecimals },
      })),
    };
  }

  @Get('rule-types')
  @Operation({
    ...byClient,
    summary: 'List the rule types',
    description:
      'Each type with the fields that its rules read. A type is not `available` where this deployment has no node of its ' +
      'chains, or lacks the key of the service that it asks.',
  })
  @Returns(ruleTypeList)
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

const toFamily = (chainId: number): ChainFamily => (isSolanaChain(chainId) ? 'solana' : 'evm');
