import { z } from 'zod';

export const RULE_TYPES = [
  'NATIVE',
  'ERC20',
  'ERC721',
  'ERC1155',
  'SOLANA_FT',
  'SOLANA_NFT',
  'gnosis',
  'staking',
  'OPEN_SEA',
  'POAP',
  'ALLOWLIST',
  'CONTRACT_READ',
] as const;
export type RuleTypeName = (typeof RULE_TYPES)[number];

/** Clients write `staking` in any case. */
const foldStaking = (type: unknown): unknown =>
  typeof type === 'string' && type.toLowerCase() === 'staking' ? 'staking' : type;

const ruleTypeName = z.enum(RULE_TYPES, `must be one of ${RULE_TYPES.join(', ')}`);

export const ruleType = z.preprocess(foldStaking, ruleTypeName);
