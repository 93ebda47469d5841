import type { ReadFailure } from '@app/chain/evm';
import type { DasFailure } from '../clients/das/das.client.js';
import type { OpenSeaFailure } from '../clients/open-sea/open-sea-chains.js';
import type { ExpressionFailure } from '../metadata/expressions/expression-failure.js';
import type { MetadataFailure } from '../metadata/metadata-failure.js';
import type { ContractKindFailure } from './collection-check.js';
import type { Comparison } from './judge-quantity.js';
import type { StakingAdapterFailure } from './staking/staking-adapters.service.js';
import type {
  TokenListFailure,
  WalletLookupFailure,
  RuleReadLimitFailure,
  NotEnumerableFailure,
  VaultsNotReadFailure,
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
  | VaultsNotReadFailure
  | WalletLookupFailure;

/** Whether a rule is granted, not granted, or undetermined because a read or lookup failed (contract.md section 5). */
export type Verdict = Granted | NotGranted | Undetermined;

/**
 * What was compared, for explanations. Absent where nothing was. Every verdict on a quantity names it, explained or not: 21 ns for
 * a judgement instead of 16, so that there is one way through every rule type.
 */
interface Granted {
  readonly kind: 'granted';
  readonly comparison?: Comparison;
}

/** How what a function returns differs from what a rule asks for. */
export type ValueMismatch = 'value_different' | 'below_minimum' | 'above_maximum' | 'no_amount_fits';

interface NotGranted {
  readonly kind: 'not_granted';
  readonly comparison?: Comparison;
  /** Why, where neither a comparison nor the rule and the account tell. */
  readonly reason?: 'contract_of_other_chain' | 'no_contract_on_chain' | ValueMismatch;
  /** Present where the rule does not apply to the account, because none of its addresses counts for it, or where that is unknown. */
  readonly applies?: false | RuleFailure;
}

export interface Undetermined {
  readonly kind: 'undetermined';
  readonly failure: RuleFailure;
}

export const GRANTED: Verdict = Object.freeze({ kind: 'granted' });
export const NOT_GRANTED: Verdict = Object.freeze({ kind: 'not_granted' });
/** The account has no address that counts for the rule, so that nothing is known of what its owner holds. */
export const NOT_APPLICABLE: Verdict = Object.freeze({ kind: 'not_granted', applies: false });
export const toUndetermined = (failure: RuleFailure): Undetermined => ({ kind: 'undetermined', failure });
