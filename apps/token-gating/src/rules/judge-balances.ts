import type { Outcome } from '@app/chain/evm';
import type { Bounds } from './bounds.js';
import { judgeQuantity } from './judge-quantity.js';
import { sumBalances } from './sum-balances.js';
import { undetermined, type Verdict } from './verdict.js';

/**
 * Whether what wallets hold together lies within bounds. Where no balance at all could be read nothing is told, even if
 * any amount would do: there may be no such token.
 */
export function judgeBalances(balances: readonly Outcome<bigint>[], bounds: Bounds): Verdict {
  const sum = sumBalances(balances);
  const nothingRead = sum.gap && !balances.some(({ ok }) => ok);
  return nothingRead ? undetermined(sum.gap.failure) : judgeQuantity(sum, bounds);
}
