import { z } from 'zod';
import { findAddressProblem } from './evm-address.js';
import { chainFamily, ruleTypeField } from './rule-type-list.js';
import { RULE_TYPES } from './rule-types.js';
import { isSolanaAddress, isSolanaChain } from './solana.js';

const TOKEN_STANDARDS = ['ERC20', 'ERC721', 'ERC1155', 'Safe', 'SPL'] as const;
export type TokenStandard = (typeof TOKEN_STANDARDS)[number];

export const chainList = z
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
export type ChainList = z.output<typeof chainList>;

export const ruleTypeList = z
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
export type RuleTypeList = z.output<typeof ruleTypeList>;

export const tokenDetails = z
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

function findContractProblem(chainId: number, address: string): string | undefined {
  if (!isSolanaChain(chainId)) return findAddressProblem(address, [chainId]);
  return isSolanaAddress(address) ? undefined : 'must be a Solana address: 32 bytes in base58';
}

/** Checks that the address of a contract, or of a mint, is one of its chain. */
export const checkContractAddress: z.core.CheckFn<{
  readonly chainId: number;
  readonly contractAddress: string;
}> = ({ value: { chainId, contractAddress }, issues }) => {
  if (issues.length > 0) return;
  const message = findContractProblem(chainId, contractAddress);
  if (message === undefined) return;
  issues.push({ code: 'custom', path: ['contractAddress'], message, input: contractAddress });
};
