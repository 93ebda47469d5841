import { finishPlans, type RoundOptions } from '../rules/rounds/finish-plans.js';
import { startPlan, type StartedPlan } from '../rules/rounds/running-plan.js';
import { getReadChainId } from '../rules/get-read-chain-id.js';
import { isNextStep } from '../rules/rule-type.js';
import { NOT_GRANTED, type Verdict } from '../rules/verdict.js';
import type { PlannedRule } from './plan-rules.js';
import type { PlanOutcomes } from './read-plans.js';

/**
 * Judges rules: a verdict for each, in order, without a promise where no rule needs a further step.
 * @param createOptions called only if one does
 */
export function judgeRules(
  planned: readonly PlannedRule[],
  outcomes: readonly PlanOutcomes[],
  createOptions: () => RoundOptions,
): Verdict[] | Promise<Verdict[]> {
  const unfinished: { readonly index: number; readonly started: StartedPlan }[] = [];
  const verdicts = planned.map(({ rule, plan }, index): Verdict => {
    const results = outcomes[index] ?? [];
    if (!plan) return NOT_GRANTED;
    const judgement = plan.judge(results);
    if (!isNextStep(judgement)) return judgement;
    unfinished.push({ index, started: startPlan(getReadChainId(rule), plan, results) });
    return NOT_GRANTED;
  });
  if (unfinished.length === 0) return verdicts;
  return finishPlans(
    unfinished.map(({ started }) => started),
    createOptions(),
  ).then((finished) => {
    unfinished.forEach(({ index }, at) => {
      const verdict = finished[at];
      if (verdict) verdicts[index] = verdict;
    });
    return verdicts;
  });
}
