import { erc20Balance, erc20Decimals } from '@app/chain/evm';
import type { Erc20Rule } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeQuantity, moreTelling } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';
import { undetermined } from './verdict.js';

export const erc20: RuleType<Erc20Rule> = {
  type: 'ERC20',
  countReads: () => 2,
  plan: (rule, holder) => {
    const { contractAddress } = rule;
    return plan(
      [erc20Balance(contractAddress, holder), erc20Decimals(contractAddress)],
      ([balance, decimals]) => {
        if (!balance.ok) return undetermined(decimals.ok ? balance : moreTelling(balance, decimals));
        if (!decimals.ok) return undetermined(decimals);
        return judgeQuantity({ known: balance.value }, boundsOf(rule, decimals.value));
      },
    );
  },
};
