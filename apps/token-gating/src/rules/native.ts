import { nativeBalance } from '@app/chain/evm';
import type { NativeRule } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeQuantity } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';
import { undetermined } from './verdict.js';

export const native: RuleType<NativeRule> = {
  type: 'NATIVE',
  countReads: () => 1,
  plan: (rule, holder, { nativeDecimals }) =>
    plan([nativeBalance(holder)], ([balance]) =>
      balance.ok
        ? judgeQuantity({ known: balance.value }, boundsOf(rule, nativeDecimals))
        : undetermined(balance),
    ),
};
