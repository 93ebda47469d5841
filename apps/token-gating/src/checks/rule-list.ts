import { type Condition, isTree, listRulesOf, type RuleEntry, type TokenGatingRule } from '@app/dto';
import { GRANTED, toUndetermined, type Verdict } from '../rules/verdict.js';
import type { ExplainedRule } from './explain-rules.js';
import { type EntryVerdict, judgeEntry } from './judge-condition.js';
import type { RulePathFormatter } from './validate-rules.js';

/** Where a rule stands in a request. */
interface RulePosition {
  readonly entry: number;
  /** The path within a tree; undefined for a rule that is an entry itself. */
  readonly path: string | undefined;
  readonly isNegated: boolean;
}

/** The entries of a request, and all rules of them, in order. */
export interface RuleList {
  readonly entries: readonly RuleEntry[];
  readonly rules: readonly TokenGatingRule[];
  /** A position for each rule; undefined where no entry is a tree, so that the rules are the entries. */
  readonly positions?: readonly RulePosition[];
  /** Whether a member of a community is judged, whose `not` of a rule that does not apply is granted (docs/adr/0017). */
  readonly isMember?: boolean;
}

const isPlain = (entries: readonly RuleEntry[]): entries is readonly TokenGatingRule[] =>
  !entries.some(isTree);

export function listRules(entries: readonly RuleEntry[]): RuleList {
  if (isPlain(entries)) return { entries, rules: entries };
  const rules: TokenGatingRule[] = [];
  const positions: RulePosition[] = [];
  for (const [index, entry] of entries.entries())
    for (const { path, rule, isNegated } of listRulesOf(toCondition(entry))) {
      rules.push(rule);
      positions.push({ entry: index, path: path === '' ? undefined : path, isNegated });
    }
  return { entries, rules, positions };
}

const toCondition = (entry: RuleEntry): Condition =>
  isTree(entry) ? entry.condition : { kind: 'rule', rule: entry };

/** Names rules by their paths in the body of the request. */
export const createPathFormatter =
  ({ positions }: RuleList): RulePathFormatter =>
  (index) => {
    const { entry, path } = positions?.[index] ?? { entry: index, path: undefined };
    return path === undefined ? `rules.${entry}` : `rules.${entry}.${path}`;
  };

export const toExplainedRules = ({ entries, rules, positions }: RuleList): ExplainedRule[] =>
  rules.map((checked, index) => {
    if (!positions) return { rule: index, roleId: checked.roleId, checked };
    const { entry = index, path } = positions[index] ?? {};
    return { rule: entry, path, roleId: entries[entry]?.roleId ?? checked.roleId, checked };
  });

/**
 * The verdicts on rules as their trees need them: a rule below an odd number of `not` is undetermined where it is unknown whether
 * it applies to the account. Rules of communities are judged as they are.
 */
export const settleVerdicts = (
  { positions, isMember = false }: RuleList,
  verdicts: readonly Verdict[],
): readonly Verdict[] =>
  positions && !isMember
    ? verdicts.map((verdict, index) => {
        const isSettled = verdict.kind !== 'not_granted' || typeof verdict.applies !== 'object';
        return isSettled || positions[index]?.isNegated !== true ? verdict : toUndetermined(verdict.applies);
      })
    : verdicts;

/**
 * The verdict on each entry, in order. `not` of a rule that does not apply to the account is not granted: of a Solana account it is
 * not known what its owner holds on EVM chains. So such a rule counts as granted where that is what keeps the tree from being granted.
 * @param verdicts one per rule, settled
 */
export function judgeEntries(
  { entries, rules, positions, isMember = false }: RuleList,
  verdicts: readonly Verdict[],
): readonly EntryVerdict[] {
  if (!positions) return verdicts;
  const byRule = new Map(rules.map((rule, index) => [rule, verdicts[index]]));
  return entries.map((entry) =>
    judgeEntry(toCondition(entry), (rule, isNegated) => {
      const verdict = byRule.get(rule);
      if (!verdict) throw new Error('A rule was not judged');
      const isMissing = verdict.kind === 'not_granted' && verdict.applies === false;
      return isMissing && isNegated && !isMember ? GRANTED : verdict;
    }),
  );
}
