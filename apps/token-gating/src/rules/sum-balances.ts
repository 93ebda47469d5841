import type { ReadResult, ReadFailure } from '@app/chain/evm';
import { preferTransientFailure, type Quantity } from './judge-quantity.js';

/** What several balances come to. One that could not be read may be anything. */
export function sumBalances(balances: readonly ReadResult<bigint>[]): Quantity {
  let known = 0n;
  let failure: ReadFailure | undefined;
  for (const balance of balances) {
    if (balance.ok) known += balance.value;
    else failure = preferTransientFailure(failure, balance);
  }
  return { known, gap: failure && { most: undefined, failure } };
}
