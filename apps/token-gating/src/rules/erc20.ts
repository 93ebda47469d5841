import { erc20Balance, erc20Decimals } from '@app/chain/evm';
import type { Erc20Rule } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { moreTelling } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';
import { sumBalances } from './sum-balances.js';
import { undetermined } from './verdict.js';

export const erc20: RuleType<Erc20Rule> = {
  type: 'ERC20',
  countReads: (_, holders) => holders + 1,
  plan: (rule, holders) => {
    const { contractAddress } = rule;
    const balances = holders.map((holder) => erc20Balance(contractAddress, holder));
    return plan(
      [erc20Decimals(contractAddress), ...balances],
      ([decimals, ...held]) => {
        if (decimals.ok) return judgeBalances(held, boundsOf(rule, decimals.value));
        return undetermined(moreTelling(sumBalances(held).gap?.failure, decimals));
      },
      1,
    );
  },
};
