import { createErc20BalanceRead, createErc20DecimalsRead } from '@app/chain/evm';
import type { Erc20Rule } from '@app/dto';
import { toBounds } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { preferTransientFailure } from './judge-quantity.js';
import { createReadPlan } from './create-read-plan.js';
import type { RuleType } from './rule-type.js';
import { sumBalances } from './sum-balances.js';
import { toUndetermined } from './verdict.js';

export const erc20: RuleType<Erc20Rule> = {
  type: 'ERC20',
  countReads: (_, addressCount) => addressCount + 1,
  planReads: (rule, addresses) => {
    const { contractAddress } = rule;
    const balances = addresses.map((address) => createErc20BalanceRead(contractAddress, address));
    return createReadPlan(
      [createErc20DecimalsRead(contractAddress), ...balances],
      ([decimals, ...held]) => {
        if (decimals.ok) return judgeBalances(held, toBounds(rule, decimals.value));
        return toUndetermined(preferTransientFailure(sumBalances(held).unread?.failure, decimals));
      },
      1,
    );
  },
};
