import type { ReadFailure } from '@app/chain/evm';
import type { Bounds } from './bounds.js';
import { GRANTED, NOT_GRANTED, toUndetermined, type Verdict } from './verdict.js';

/** What reads told of a quantity. */
export interface Quantity {
  readonly known: bigint;
  /** What failed reads may hide on top of it: up to `most`, any amount when that is undefined. */
  readonly gap?: { readonly most: bigint | undefined; readonly failure: ReadFailure } | undefined;
}

/** Whether a quantity lies within bounds, as far as it can be told: what failed reads hide may not matter. */
export function judgeQuantity({ known, gap }: Quantity, { min, max }: Bounds): Verdict {
  const isWithin = (held: bigint) => held >= min && (max === undefined || held <= max);
  if (!gap) return isWithin(known) ? GRANTED : NOT_GRANTED;

  const highest = gap.most === undefined ? undefined : known + gap.most;
  const firstThatFits = known < min ? min : known;
  const canFit = isWithin(firstThatFits) && (highest === undefined || firstThatFits <= highest);
  if (!canFit) return NOT_GRANTED;
  const mustFit = known >= min && (max === undefined || (highest !== undefined && highest <= max));
  return mustFit ? GRANTED : toUndetermined(gap.failure);
}

/** Of two failures the one that asking again may cure. */
export function preferTransientFailure<F extends { readonly permanent: boolean }>(a: F | undefined, b: F): F {
  return a === undefined || (a.permanent && !b.permanent) ? b : a;
}
