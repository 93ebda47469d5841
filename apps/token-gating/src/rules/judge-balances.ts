import type { ReadResult } from '@app/chain/evm';
import type { Bounds } from './bounds.js';
import { judgeQuantity } from './judge-quantity.js';
import { sumBalances } from './sum-balances.js';
import { toUndetermined, type Verdict } from './verdict.js';

/**
 * Whether the sum of balances is within bounds. Undetermined when no balance could be read, even if any amount is within
 * bounds, because the token may not exist.
 */
export function judgeBalances(balances: readonly ReadResult<bigint>[], bounds: Bounds): Verdict {
  const sum = sumBalances(balances);
  const nothingRead = sum.unread && !balances.some(({ ok }) => ok);
  return nothingRead ? toUndetermined(sum.unread.failure) : judgeQuantity(sum, bounds);
}
