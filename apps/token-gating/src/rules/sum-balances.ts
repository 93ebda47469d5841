import type { Outcome, ReadFailure } from '@app/chain/evm';
import { moreTelling, type Quantity } from './judge-quantity.js';

/** What several balances come to. One that could not be read may be anything. */
export function sumBalances(balances: readonly Outcome<bigint>[]): Quantity {
  let known = 0n;
  let failure: ReadFailure | undefined;
  for (const balance of balances) {
    if (balance.ok) known += balance.value;
    else failure = moreTelling(failure, balance);
  }
  return { known, gap: failure && { most: undefined, failure } };
}
