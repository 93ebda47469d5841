import type { TokenGatingRule } from '@app/dto';
import { toBounds } from './bounds.js';
import type { ChainRead } from './chains/chain.service.js';
import { createReadPlan } from './create-read-plan.js';
import { judgeBalances, sumBalances } from './judge-balances.js';
import { preferTransientFailure } from './judge-quantity.js';
import type { ReadPlan } from './rule-type.js';
import { toUndetermined } from './verdict.js';

/** The plan of a rule about a token with decimals: the sum of the balances is within the rule's thresholds. */
export function planFungibleReads(
  rule: Pick<TokenGatingRule, 'minToken' | 'maxToken'>,
  decimals: ChainRead<number>,
  balances: readonly ChainRead<bigint>[],
): ReadPlan {
  return createReadPlan(
    [decimals, ...balances],
    ([decimals, ...held]) => {
      if (decimals.ok) return judgeBalances(held, toBounds(rule, decimals.value));
      return toUndetermined(preferTransientFailure(sumBalances(held).unread?.failure, decimals));
    },
    1,
  );
}
