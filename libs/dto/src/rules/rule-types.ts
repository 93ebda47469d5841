import { z } from 'zod';

/** Supported rule types. */
export const RULE_TYPES = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155', 'SOLANA_FT', 'gnosis'] as const;
export type RuleTypeName = (typeof RULE_TYPES)[number];

/** Rule types of contract.md that are not implemented. */
const UNSUPPORTED_RULE_TYPES: readonly unknown[] = ['SOLANA_NFT', 'POAP', 'staking', 'OPEN_SEA'];

const supported = RULE_TYPES.join(', ');

export const ruleType = z.enum(RULE_TYPES, {
  error: ({ input }) => {
    if (UNSUPPORTED_RULE_TYPES.includes(input))
      return `${String(input)} is not supported yet; supported are ${supported}`;
    return `must be one of ${supported}`;
  },
});
