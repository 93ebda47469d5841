import { z } from 'zod';

/** Rule types that can be checked. */
export const RULE_TYPES = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155'] as const;
export type RuleTypeName = (typeof RULE_TYPES)[number];

/** Rule types of the contract that cannot be checked yet. */
const PLANNED: readonly unknown[] = ['SOLANA_FT', 'SOLANA_NFT', 'POAP', 'gnosis', 'staking', 'OPEN_SEA'];

const known = RULE_TYPES.join(', ');

export const ruleType = z.enum(RULE_TYPES, {
  error: ({ input }) => {
    if (PLANNED.includes(input)) return `${String(input)} is not supported yet; supported are ${known}`;
    return `must be one of ${known}`;
  },
});
