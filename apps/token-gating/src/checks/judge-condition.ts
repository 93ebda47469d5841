import { type Condition, joinPath, listParts, type TokenGatingRule } from '@app/dto';
import { preferTransientFailure } from '../rules/judge-quantity.js';
import {
  GRANTED,
  NOT_GRANTED,
  toUndetermined,
  type RuleFailure,
  type Undetermined,
  type Verdict,
} from '../rules/verdict.js';

/** @param isNegated whether an odd number of `not` is around the rule */
export type VerdictLookup = (rule: TokenGatingRule, isNegated: boolean) => Verdict;

/**
 * Judges a condition in Kleene's three-valued logic: an undetermined rule makes the condition undetermined only where its
 * value could change the result.
 * @param verdictOf the verdict of each rule
 */
export function judgeCondition(condition: Condition, verdictOf: VerdictLookup, isNegated = false): Verdict {
  switch (condition.kind) {
    case 'rule':
      return verdictOf(condition.rule, isNegated);
    case 'not':
      return negate(judgeCondition(condition.of, verdictOf, !isNegated));
    case 'allOf':
    case 'anyOf':
    case 'atLeast': {
      const needed = countNeeded(condition);
      let [granted, possible] = [0, condition.of.length];
      let failure: RuleFailure | undefined;
      for (const part of condition.of) {
        const verdict = judgeCondition(part, verdictOf, isNegated);
        if (verdict.kind === 'undetermined') failure = preferTransientFailure(failure, verdict.failure);
        else if (verdict.kind === 'granted') granted += 1;
        else possible -= 1;
        if (granted >= needed) return GRANTED;
        if (possible < needed) return NOT_GRANTED;
      }
      if (!failure) throw new Error('A condition is neither decided nor undetermined');
      return toUndetermined(failure);
    }
  }
}

function countNeeded(condition: Extract<Condition, { readonly of: readonly Condition[] }>): number {
  if (condition.kind === 'atLeast') return condition.count;
  return condition.kind === 'allOf' ? condition.of.length : 1;
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

/** The failure of a rule of a tree, and the path of the rule in it, such as `allOf.0.anyOf.2`. */
export interface PartFailure {
  readonly path: string;
  readonly failure: RuleFailure;
}

/** The verdict on an entry. That of an undetermined tree names the rules of which each could change it. */
export type EntryVerdict =
  | Exclude<Verdict, Undetermined>
  | (Undetermined & { readonly parts?: readonly PartFailure[] });

/** Judges an entry, which is a rule or a tree. */
export function judgeEntry(condition: Condition, verdictOf: VerdictLookup): EntryVerdict {
  const verdict = judgeCondition(condition, verdictOf);
  if (verdict.kind !== 'undetermined' || condition.kind === 'rule') return verdict;
  return { ...verdict, parts: listFailures(condition, verdictOf, '', false) };
}

/** The failures of an undetermined condition: those of its undetermined parts, because the others are decided without them. */
function listFailures(
  condition: Condition,
  verdictOf: VerdictLookup,
  path: string,
  isNegated: boolean,
): PartFailure[] {
  const verdict = judgeCondition(condition, verdictOf, isNegated);
  if (verdict.kind !== 'undetermined') return [];
  if (condition.kind === 'rule') return [{ path, failure: verdict.failure }];
  const areNegated = isNegated !== (condition.kind === 'not');
  return listParts(condition).flatMap((part) =>
    listFailures(part.condition, verdictOf, joinPath(path, part.path), areNegated),
  );
}
