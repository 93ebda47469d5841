import { nativeBalance } from '@app/chain/evm';
import type { NativeRule } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';

export const native: RuleType<NativeRule> = {
  type: 'NATIVE',
  countReads: (_, holders) => holders,
  plan: (rule, holders, { nativeDecimals }) =>
    plan(holders.map(nativeBalance), (balances) => judgeBalances(balances, boundsOf(rule, nativeDecimals))),
};
