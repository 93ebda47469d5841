import type { Bounds } from './bounds.js';
import { GRANTED, NOT_GRANTED, type RuleFailure, toUndetermined, type Verdict } from './verdict.js';

/** A quantity as far as it could be read, in base units. */
export interface Quantity {
  readonly known: bigint;
  /** What failed reads may hide: up to `maxAmount`, or any amount when it is undefined. */
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
