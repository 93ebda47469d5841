import { NOT_GRANTED, type Verdict } from '../rules/verdict.js';
import type { PlannedRule } from './plan-rules.js';
import type { PlanOutcomes } from './read-plans.js';

/** One verdict per rule, in order. */
export function judgeRules(planned: readonly PlannedRule[], outcomes: readonly PlanOutcomes[]): Verdict[] {
  return planned.map(({ plan }, index) => plan?.judge(outcomes[index] ?? []) ?? NOT_GRANTED);
}
