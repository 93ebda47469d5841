import type { TokenGatingRule } from '@app/dto';
import type { ChainService } from '../rules/chains/chain.service.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { createReadPlan } from '../rules/create-read-plan.js';
import type { ReadPlan } from '../rules/rule-type.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import { type RuleFailure, toUndetermined } from '../rules/verdict.js';
import { isTokenListFailure, type LoadedRule } from './token-lists/load-token-lists.js';

/** A rule and its reads. The plan is undefined when the account has no address on the rule's chain. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: ReadPlan | undefined;
}

/** @param loaded one entry per rule, or empty when the account has no address on any chain */
export function planRules(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  subject: SubjectAddresses,
  chains: Pick<ChainService, 'find'>,
): PlannedRule[] {
  return rules.map((rule, index) => {
    const [chain, resolved] = [chains.find(rule.chainId), loaded[index]];
    const addresses = subject.getAddresses(rule.chainId);
    if (addresses.length === 0 || !chain || !resolved) return { rule, plan: undefined };
    if (isTokenListFailure(resolved)) return planFailedRule(rule, resolved);
    return { rule, plan: getRuleType(rule).planReads(resolved, addresses, chain) };
  });
}

/** A plan without reads whose verdict is undetermined. */
export function planFailedRule(rule: TokenGatingRule, failure: RuleFailure): PlannedRule {
  return { rule, plan: createReadPlan([], () => toUndetermined(failure)) };
}
