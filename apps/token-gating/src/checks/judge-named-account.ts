import type { NamedAccountCheck } from '../rules/named-account-check.js';
import { getReadChainId, type ReadPlan } from '../rules/rule-type.js';
import type { RoundOptions } from '../rules/rounds/finish-plans.js';
import { listParts } from '../rules/rounds/running-plan.js';
import { NOT_GRANTED, type RuleFailure, toUndetermined, type Verdict } from '../rules/verdict.js';
import { judgeRules, type PlanOutcomes } from './read-plans.js';
import type { PlannedRule } from './plan-rules.js';

/** What a rule has to be judged for: once where it is known on which chains the account counts, else for the least and the most. */
interface Judgement {
  readonly cases: readonly { readonly planned: PlannedRule; readonly outcomes: PlanOutcomes }[];
  /** Why it is unknown on which chains the account counts. */
  readonly failure?: RuleFailure | undefined;
  /** Whether equal verdicts for the least and the most hold for everything between. */
  readonly isMonotonic: boolean;
}

/**
 * Judges an account that names a chain: a verdict per rule, in order. Holdings on chains where it does not count are
 * left out. Where that is unknown, a rule is undetermined only if it could change the verdict.
 * @param outcomes of `planned`. @param named has the codes of the account
 */
export async function judgeNamedAccount(
  planned: readonly PlannedRule[],
  outcomes: readonly PlanOutcomes[],
  named: NamedAccountCheck,
  createOptions: () => RoundOptions,
): Promise<Verdict[]> {
  const judgements = planned.map((rule, index) => toJudgement(rule, outcomes[index] ?? [], named));
  const cases = judgements.flatMap((judgement) => judgement.cases);
  const verdicts = await judgeRules(
    cases.map((one) => one.planned),
    cases.map((one) => one.outcomes),
    createOptions,
  );
  let done = 0;
  return judgements.map(({ cases: { length }, failure, isMonotonic }) => {
    const [least = NOT_GRANTED, most = least] = verdicts.slice(done, (done += length));
    if (!failure) return least;
    return isMonotonic && least.kind === most.kind && least.kind !== 'undetermined'
      ? least
      : toUndetermined(failure);
  });
}

function toJudgement(planned: PlannedRule, outcomes: PlanOutcomes, named: NamedAccountCheck): Judgement {
  const { rule, plan } = planned;
  const all = { planned, outcomes };
  // Rules without reads ask for codes themselves, if they depend on them.
  if (!plan || plan.reads.length === 0) return { cases: [all], isMonotonic: true };
  const elsewhere = new Set<number>();
  const unknown = new Set<number>();
  let failure: RuleFailure | undefined;
  for (const { chainId } of listParts(plan, getReadChainId(rule))) {
    const counting = named.countsOn(chainId);
    if (counting === false) elsewhere.add(chainId);
    if (typeof counting === 'boolean') continue;
    unknown.add(chainId);
    failure ??= counting;
  }
  if (elsewhere.size === 0 && unknown.size === 0) return { cases: [all], isMonotonic: true };
  const most = elsewhere.size === 0 ? all : excludeChains(planned, outcomes, elsewhere);
  if (unknown.size === 0) return { cases: [most], isMonotonic: true };
  const least = excludeChains(planned, outcomes, new Set([...elsewhere, ...unknown]));
  return { cases: [least, most], failure, isMonotonic: unknown.size === 1 || rule.maxToken === undefined };
}

/** The rule and its outcomes without those of some chains; without a plan where nothing is left. */
function excludeChains(
  { rule, plan, planWithout }: PlannedRule,
  outcomes: PlanOutcomes,
  excluded: ReadonlySet<number>,
): Judgement['cases'][number] {
  if (!plan || !planWithout) return { planned: { rule, plan: undefined }, outcomes: [] };
  const left = planWithout(excluded);
  return { planned: { rule, plan: left }, outcomes: pickOutcomes(plan, left, outcomes) };
}

/** The outcomes of the chains that are left: for each of them both plans have the same reads. */
const pickOutcomes = (plan: ReadPlan, left: ReadPlan, outcomes: PlanOutcomes): PlanOutcomes =>
  (left.parts ?? []).flatMap(({ chainId }) => {
    const part = plan.parts?.find((one) => one.chainId === chainId);
    return part ? outcomes.slice(part.start, part.end) : [];
  });
