import { createMintDecimalsRead, createTokenBalanceRead } from '@app/chain/solana';
import type { SolanaFtRule } from '@app/dto';
import { listAmounts } from './judge-quantity.js';
import type { RuleType } from './rule-type.js';
import { planFungibleReads } from './create-read-plan.js';

export const solanaFt: RuleType<SolanaFtRule> = {
  type: 'SOLANA_FT',
  countReads: (_, addressCount) => addressCount + 1,
  planReads: (rule, owners) => {
    const mint = rule.contractAddress;
    const balances = owners.map((owner) => createTokenBalanceRead(mint, owner));
    return planFungibleReads(rule, createMintDecimalsRead(mint), balances);
  },
  listAmounts: (_, __, [, ...balances]) => listAmounts(balances),
};
