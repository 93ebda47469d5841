import { type Condition, joinPath, listParts, type TokenGatingRule } from '@app/dto';
import { VAULTS_NOT_READ } from '../rules/rule-failures.js';
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

/**
 * Judges an entry by what is known of vaults. Vaults that are not read count as not enough, and below an odd number of `not` as
 * enough: an account can fill its own inbox, and must neither gain nor keep a role by it. Where that decides an entry, the failure
 * is `vaults_not_read`, with which a role is not granted; where the entry stays open without the vaults, it is another one.
 */
export function judgeWhole(condition: Condition, verdictOf: VerdictLookup): Verdict {
  const verdict = judgeCondition(condition, verdictOf);
  if (verdict.kind !== 'undetermined') return verdict;
  const withoutVaults = judgeCondition(condition, denyUnreadVaults(verdictOf));
  return withoutVaults.kind === 'undetermined' ? withoutVaults : toUndetermined(VAULTS_NOT_READ);
}

const denyUnreadVaults =
  (verdictOf: VerdictLookup): VerdictLookup =>
  (rule, isNegated) => {
    const verdict = verdictOf(rule, isNegated);
    if (verdict.kind !== 'undetermined' || !areUnreadVaults(verdict.failure)) return verdict;
    return isNegated ? GRANTED : NOT_GRANTED;
  };

export const areUnreadVaults = ({ code }: RuleFailure): boolean => code === VAULTS_NOT_READ.code;

/** The failure of a rule of a tree, and the path of the rule in it, such as `allOf.0.anyOf.2`. */
export interface PartFailure {
  readonly path: string;
  readonly failure: RuleFailure;
}

/** The verdict on an entry. That of an undetermined tree names the rules that leave it so. */
export type EntryVerdict =
  | Exclude<Verdict, Undetermined>
  | (Undetermined & { readonly parts?: readonly PartFailure[] });

/** Judges an entry, which is a rule or a tree, and names the rules that leave a tree undetermined. */
export function judgeEntry(condition: Condition, verdictOf: VerdictLookup): EntryVerdict {
  const verdict = judgeWhole(condition, verdictOf);
  if (verdict.kind !== 'undetermined' || condition.kind === 'rule') return verdict;
  // A failure that matters only if unread vaults were enough is left out: no retry of it changes the answer.
  const open = new Set(
    listFailures(condition, denyUnreadVaults(verdictOf), '', false).map(({ path }) => path),
  );
  const parts = listFailures(condition, verdictOf, '', false).filter(
    ({ path, failure }) => areUnreadVaults(failure) || open.has(path),
  );
  return { ...verdict, parts };
}

/**
 * The failures of an undetermined condition: those of its undetermined parts, because the others are decided without them. Not each of them
 * can change the condition by itself: of two rules that cannot be read, `atLeast` may need both.
 */
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
