import { toBaseUnits, type TokenGatingRule } from '@app/dto';
import type { ReadFailure, ReadResult } from '@app/chain/evm';
import { GRANTED, NOT_GRANTED, type RuleFailure, toUndetermined, type Verdict } from './verdict.js';

/** Inclusive thresholds in base units. */
export interface Bounds {
  readonly min: bigint;
  readonly max: bigint | undefined;
}

/** Thresholds of a rule for a token with `decimals`. Excess digits narrow the range: min rounds up, max rounds down. */
export function toBounds(
  { minToken, maxToken }: Pick<TokenGatingRule, 'minToken' | 'maxToken'>,
  decimals: number,
): Bounds {
  return {
    min: toBaseUnits(minToken, decimals, 'up'),
    max: maxToken && toBaseUnits(maxToken, decimals, 'down'),
  };
}

/** A quantity as far as it could be read, in base units. */
export interface Quantity {
  readonly known: bigint;
  /** The amount that failed reads may hide: up to `maxAmount`, or any amount when it is undefined. */
  readonly unread?: { readonly maxAmount: bigint | undefined; readonly failure: RuleFailure } | undefined;
}

/** Whether a quantity is within bounds. Undetermined only when the unread amount could change the verdict. */
export function judgeQuantity({ known, unread }: Quantity, { min, max }: Bounds): Verdict {
  const isWithin = (held: bigint) => held >= min && (max === undefined || held <= max);
  if (!unread) return isWithin(known) ? GRANTED : NOT_GRANTED;

  const highest = unread.maxAmount === undefined ? undefined : known + unread.maxAmount;
  const lowestFit = known < min ? min : known;
  const canFit = isWithin(lowestFit) && (highest === undefined || lowestFit <= highest);
  if (!canFit) return NOT_GRANTED;
  const mustFit = known >= min && (max === undefined || (highest !== undefined && highest <= max));
  return mustFit ? GRANTED : toUndetermined(unread.failure);
}

/** Prefers a failure that a retry may resolve. */
export function preferTransientFailure<F extends { readonly permanent: boolean }>(a: F | undefined, b: F): F {
  return a === undefined || (a.permanent && !b.permanent) ? b : a;
}

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
