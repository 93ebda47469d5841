import type { Condition, TokenGatingExplanation, TokenGatingRule } from '@app/dto';
import type { RoleVerdict } from '../../checks/roles-response.js';
import { preferTransientFailure } from '../../rules/judge-quantity.js';
import {
  GRANTED,
  NOT_GRANTED,
  toUndetermined,
  type Undetermined,
  type Verdict,
} from '../../rules/verdict.js';

/** The verdicts of one member: one per role that the rules name, in the order of their first mention. */
export interface MemberVerdicts {
  readonly userId: string;
  readonly roles: readonly RoleVerdict[];
  /** Why each rule is granted or not, in order; only where that was asked. */
  readonly explanations?: readonly TokenGatingExplanation[];
}

/** True also where the rules name no role: then it is known that the member holds none. */
export const hasDeterminedRole = ({ roles }: MemberVerdicts): boolean =>
  roles.length === 0 || roles.some(({ kind }) => kind !== 'undetermined');

export const hasUndeterminedRole = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind }) => kind === 'undetermined');

/** Whether a role is undetermined and another evaluation may determine it. */
export const hasRetryableRole = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind, errors }) => kind === 'undetermined' && errors.some(({ retryable }) => retryable));

/**
 * Judges a condition in Kleene's three-valued logic: an undetermined rule makes the condition undetermined only where its
 * value could change the result.
 * @param verdictOf the verdict of each rule
 */
export function judgeCondition(condition: Condition, verdictOf: (rule: TokenGatingRule) => Verdict): Verdict {
  switch (condition.kind) {
    case 'rule':
      return verdictOf(condition.rule);
    case 'not':
      return negate(judgeCondition(condition.of, verdictOf));
    case 'allOf':
      return judgeAll(condition.of, verdictOf, NOT_GRANTED, GRANTED);
    case 'anyOf':
      return judgeAll(condition.of, verdictOf, GRANTED, NOT_GRANTED);
  }
}

/** Returns `decisive` if any condition is, otherwise undetermined if any is, otherwise `otherwise`. */
function judgeAll(
  conditions: readonly Condition[],
  verdictOf: (rule: TokenGatingRule) => Verdict,
  decisive: Verdict,
  otherwise: Verdict,
): Verdict {
  let undetermined: Undetermined | undefined;
  for (const condition of conditions) {
    const verdict = judgeCondition(condition, verdictOf);
    if (verdict.kind === decisive.kind) return decisive;
    if (verdict.kind === 'undetermined')
      undetermined = toUndetermined(preferTransientFailure(undetermined?.failure, verdict.failure));
  }
  return undetermined ?? otherwise;
}

function negate(verdict: Verdict): Verdict {
  switch (verdict.kind) {
    case 'granted':
      return NOT_GRANTED;
    case 'not_granted':
      return GRANTED;
    case 'undetermined':
      return verdict;
  }
}
