import type { ReadFailure } from '@app/chain/evm';

/** A rule is granted or not, or it cannot be told because a read failed (contract.md section 5). */
export type Verdict =
  | { readonly kind: 'granted' }
  | { readonly kind: 'not_granted' }
  | { readonly kind: 'undetermined'; readonly failure: ReadFailure };

export const GRANTED: Verdict = Object.freeze({ kind: 'granted' });
export const NOT_GRANTED: Verdict = Object.freeze({ kind: 'not_granted' });
export const undetermined = (failure: ReadFailure): Verdict => ({ kind: 'undetermined', failure });
