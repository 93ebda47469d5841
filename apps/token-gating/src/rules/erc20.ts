import { createErc20BalanceRead, createErc20DecimalsRead } from '@app/chain/evm';
import type { Erc20Rule } from '@app/dto';
import { planFungibleReads } from './create-read-plan.js';
import { countSubjectReads } from './delegations/plan-delegations.js';
import { listAmounts } from './judge-quantity.js';
import type { RuleType } from './rule-type.js';

export const erc20: RuleType<Erc20Rule> = {
  type: 'ERC20',
  countReads: (rule, addressCount) => countSubjectReads(rule, addressCount, 1) + 1,
  planReads: (rule, addresses) => {
    const { contractAddress } = rule;
    const balances = addresses.map((address) => createErc20BalanceRead(contractAddress, address));
    return planFungibleReads(rule, createErc20DecimalsRead(contractAddress), balances);
  },
  listAmounts: (_, __, [, ...balances]) => listAmounts(balances),
};
