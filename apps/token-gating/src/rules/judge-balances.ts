import type { ReadFailure, ReadResult } from '@app/chain/evm';
import type { Bounds } from './bounds.js';
import { judgeQuantity, preferTransientFailure, type Quantity } from './judge-quantity.js';
import { toUndetermined, type Verdict } from './verdict.js';

/** Sums balances. A balance that could not be read may be any amount. */
export function sumBalances(balances: readonly ReadResult<bigint>[]): Quantity {
  let known = 0n;
  let failure: ReadFailure | undefined;
  for (const balance of balances) {
    if (balance.ok) known += balance.value;
    else failure = preferTransientFailure(failure, balance);
  }
  return { known, unread: failure && { maxAmount: undefined, failure } };
}

/**
 * Whether the sum of balances is within bounds. Undetermined when no balance could be read, even if any amount is within
 * bounds, because the token may not exist.
 */
export function judgeBalances(balances: readonly ReadResult<bigint>[], bounds: Bounds): Verdict {
  const sum = sumBalances(balances);
  const nothingRead = sum.unread && !balances.some(({ ok }) => ok);
  return nothingRead ? toUndetermined(sum.unread.failure) : judgeQuantity(sum, bounds);
}
