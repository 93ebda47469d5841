import type { ReadResult } from '@app/chain/evm';
import type { Bounds } from './bounds.js';
import { judgeQuantity } from './judge-quantity.js';
import { sumBalances } from './sum-balances.js';
import { toUndetermined, type Verdict } from './verdict.js';

/**
 * Whether what wallets hold together lies within bounds. Where no balance at all could be read nothing is told, even if
 * any amount would do: there may be no such token.
 */
export function judgeBalances(balances: readonly ReadResult<bigint>[], bounds: Bounds): Verdict {
  const sum = sumBalances(balances);
  const nothingRead = sum.gap && !balances.some(({ ok }) => ok);
  return nothingRead ? toUndetermined(sum.gap.failure) : judgeQuantity(sum, bounds);
}
