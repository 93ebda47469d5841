import type { ReadFailure } from '@app/chain/evm';
import type { DasFailure } from '../clients/das/das.client.js';
import type { OpenSeaFailure } from '../clients/open-sea/open-sea-chains.js';
import type { ExpressionFailure } from '../metadata/expressions/expression-failure.js';
import type { MetadataFailure } from '../metadata/metadata-failure.js';
import type { ContractKindFailure } from './collection-check.js';
import type { StakingAdapterFailure } from './staking/staking-adapters.service.js';
import type {
  TokenListFailure,
  WalletLookupFailure,
  RuleReadLimitFailure,
  NotEnumerableFailure,
} from './rule-failures.js';

/** Why a rule has no verdict. */
export type RuleFailure =
  | ContractKindFailure
  | DasFailure
  | ExpressionFailure
  | MetadataFailure
  | NotEnumerableFailure
  | OpenSeaFailure
  | ReadFailure
  | RuleReadLimitFailure
  | StakingAdapterFailure
  | TokenListFailure
  | WalletLookupFailure;

/** Whether a rule is granted, not granted, or undetermined because a read or lookup failed (contract.md section 5). */
export type Verdict = { readonly kind: 'granted' } | { readonly kind: 'not_granted' } | Undetermined;

export interface Undetermined {
  readonly kind: 'undetermined';
  readonly failure: RuleFailure;
}

export const GRANTED: Verdict = Object.freeze({ kind: 'granted' });
export const NOT_GRANTED: Verdict = Object.freeze({ kind: 'not_granted' });
export const toUndetermined = (failure: RuleFailure): Undetermined => ({ kind: 'undetermined', failure });
