import type { ReadResult, ReadFailure } from '@app/chain/evm';
import { preferTransientFailure, type Quantity } from './judge-quantity.js';

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
