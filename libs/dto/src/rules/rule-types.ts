import { z } from 'zod';

/** Supported rule types. */
export const RULE_TYPES = [
  'NATIVE',
  'ERC20',
  'ERC721',
  'ERC1155',
  'SOLANA_FT',
  'gnosis',
  'staking',
  'OPEN_SEA',
  'POAP',
] as const;
export type RuleTypeName = (typeof RULE_TYPES)[number];

/** Rule types of contract.md that are not implemented. */
const UNSUPPORTED_RULE_TYPES: readonly unknown[] = ['SOLANA_NFT'];

const supported = RULE_TYPES.join(', ');

/** Clients write `staking` in any case. */
const foldStaking = (type: unknown): unknown =>
  typeof type === 'string' && type.toLowerCase() === 'staking' ? 'staking' : type;

const ruleTypeName = z.enum(RULE_TYPES, {
  error: ({ input }) => {
    if (UNSUPPORTED_RULE_TYPES.includes(input))
      return `${String(input)} is not supported yet; supported are ${supported}`;
    return `must be one of ${supported}`;
  },
});

export const ruleType = z.preprocess(foldStaking, ruleTypeName);
