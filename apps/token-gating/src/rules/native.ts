import { createNativeBalanceRead } from '@app/chain/evm';
import type { NativeRule } from '@app/dto';
import { toBounds } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { createReadPlan } from './create-read-plan.js';
import type { RuleType } from './rule-type.js';

export const native: RuleType<NativeRule> = {
  type: 'NATIVE',
  countReads: (_, addressCount) => addressCount,
  planReads: (rule, addresses, { nativeDecimals }) =>
    createReadPlan(addresses.map(createNativeBalanceRead), (balances) =>
      judgeBalances(balances, toBounds(rule, nativeDecimals)),
    ),
};
