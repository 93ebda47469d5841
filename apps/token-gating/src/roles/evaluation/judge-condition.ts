import type { Condition, TokenGatingRule } from '@app/dto';
import { preferTransientFailure } from '../../rules/judge-quantity.js';
import {
  GRANTED,
  NOT_GRANTED,
  type Undetermined,
  toUndetermined,
  type Verdict,
} from '../../rules/verdict.js';

/**
 * What a condition comes to, with three values (Kleene): what cannot be told matters only where it could turn the scale,
 * and never counts as a no, nor beneath a `not` as a yes.
 * @param verdictOf what was found of each rule
 */
export function judgeCondition(condition: Condition, verdictOf: (rule: TokenGatingRule) => Verdict): Verdict {
  switch (condition.kind) {
    case 'rule':
      return verdictOf(condition.rule);
    case 'not':
      return opposite(judgeCondition(condition.of, verdictOf));
    case 'allOf':
      return decide(condition.of, verdictOf, NOT_GRANTED, GRANTED);
    case 'anyOf':
      return decide(condition.of, verdictOf, GRANTED, NOT_GRANTED);
  }
}

/** One of `decisive` decides; without it what cannot be told does; without that it is `otherwise`. */
function decide(
  conditions: readonly Condition[],
  verdictOf: (rule: TokenGatingRule) => Verdict,
  decisive: Verdict,
  otherwise: Verdict,
): Verdict {
  let unknown: Undetermined | undefined;
  for (const condition of conditions) {
    const verdict = judgeCondition(condition, verdictOf);
    if (verdict.kind === decisive.kind) return decisive;
    if (verdict.kind === 'undetermined')
      unknown = toUndetermined(preferTransientFailure(unknown?.failure, verdict.failure));
  }
  return unknown ?? otherwise;
}

function opposite(verdict: Verdict): Verdict {
  switch (verdict.kind) {
    case 'granted':
      return NOT_GRANTED;
    case 'not_granted':
      return GRANTED;
    case 'undetermined':
      return verdict;
  }
}
