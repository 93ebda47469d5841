import { toBaseUnits, type TokenGatingRule } from '@app/dto';
import type { ReadFailure, ReadResult } from '@app/chain/evm';
import type { AddressAmount, ReadValue } from './rule-type.js';
import { type RuleFailure, toUndetermined, type Verdict } from './verdict.js';

/** Inclusive thresholds in base units. */
export interface Bounds {
  readonly min: bigint;
  readonly max: bigint | undefined;
  /** Decimals of the base units; 0 where absent. */
  readonly decimals?: number;
}

/** Thresholds of a rule for a token with `decimals`. Excess digits narrow the range: min rounds up, max rounds down. */
export function toBounds(
  { minToken, maxToken }: Pick<TokenGatingRule, 'minToken' | 'maxToken'>,
  decimals: number,
): Bounds {
  return {
    min: toBaseUnits(minToken, decimals, 'up'),
    max: maxToken && toBaseUnits(maxToken, decimals, 'down'),
    decimals,
  };
}

/** A quantity as far as it could be read, in base units. */
export interface Quantity {
  readonly known: bigint;
  /** The amount that failed reads may hide: up to `maxAmount`, or any amount when it is undefined. */
  readonly unread?: { readonly maxAmount: bigint | undefined; readonly failure: RuleFailure } | undefined;
  /** Whether more may be held, because reading stopped as soon as the verdict was certain. */
  readonly isMinimum?: boolean;
  /** What was read and does not count, because its metadata does not match. */
  readonly mismatched?: bigint | undefined;
}

/** Whether the whole quantity is known. */
export const isExact = ({ unread, isMinimum }: Quantity): boolean =>
  isMinimum !== true && (unread === undefined || unread.maxAmount === 0n);

/** The amounts of balances, undefined for those that could not be read. */
export const listAmounts = (balances: readonly ReadResult<ReadValue>[]): AddressAmount[] =>
  balances.map((balance) => (balance.ok && typeof balance.value === 'bigint' ? balance.value : undefined));

/** A quantity and the bounds that it was compared with. */
export interface Comparison {
  readonly quantity: Quantity;
  readonly bounds: Bounds;
  /** Who holds the quantity, where vaults count beside the addresses of the subject. */
  readonly holders?: Holders;
}

/** The addresses of a subject and its vaults. */
export interface Holders {
  /** All of them, the vaults last. */
  readonly addresses: readonly string[];
  readonly vaults: readonly string[];
  /** The results of the first reads of the rule for these addresses. */
  readonly outcomes: readonly ReadResult<ReadValue>[];
}

/** Whether a quantity is within bounds. Undetermined only when the unread amount could change the verdict. */
export function judgeQuantity(quantity: Quantity, bounds: Bounds): Verdict {
  const { known, unread } = quantity;
  const { min, max } = bounds;
  const comparison = { quantity, bounds };
  const isWithin = (held: bigint) => held >= min && (max === undefined || held <= max);
  if (!unread) return { kind: isWithin(known) ? 'granted' : 'not_granted', comparison };

  const highest = unread.maxAmount === undefined ? undefined : known + unread.maxAmount;
  const lowestFit = known < min ? min : known;
  const canFit = isWithin(lowestFit) && (highest === undefined || lowestFit <= highest);
  if (!canFit) return { kind: 'not_granted', comparison };
  const mustFit = known >= min && (max === undefined || (highest !== undefined && highest <= max));
  return mustFit ? { kind: 'granted', comparison } : toUndetermined(unread.failure);
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
