import type { TokenGatingRule } from '@app/dto';
import type { ChainService } from '../rules/chains/chain.service.js';
import { excludeChains, type SubjectAddresses } from '../subjects/subject-addresses.js';
import { createReadPlan } from '../rules/create-read-plan.js';
import { getReadChainId, type ReadPlan, resolveTokenIds } from '../rules/rule-type.js';
import type { RuleServices } from '../rules/rule-services.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import { type RuleFailure, toUndetermined } from '../rules/verdict.js';
import { isTokenListFailure, type LoadedRule } from './token-lists/load-token-lists.js';

/** A rule and its reads. The plan is undefined when the account has no address on the rule's chain. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: ReadPlan | undefined;
  /** Plans a rule of several chains again without chains on which a named account does not count. */
  readonly planWithout?: (excluded: ReadonlySet<number>) => ReadPlan;
}

/** @param loaded one entry per rule, or empty when the account has no address on any chain */
export function planRules(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  subject: SubjectAddresses,
  chains: Pick<ChainService, 'find'>,
  services: RuleServices,
): PlannedRule[] {
  return rules.map((rule, index) => {
    const ruleType = getRuleType(rule);
    if ('planSubject' in ruleType) {
      const resolved = resolveTokenIds(rule, undefined);
      const plan = ruleType.planSubject(resolved, subject, services);
      if (!subject.named) return { rule, plan };
      const planWithout = (excluded: ReadonlySet<number>) =>
        ruleType.planSubject(resolved, excludeChains(subject, excluded), services);
      return { rule, plan, planWithout };
    }
    const chainId = getReadChainId(rule);
    const [chain, resolved] = [chains.find(chainId), loaded[index]];
    const addresses = subject.getAddresses(chainId);
    if (addresses.length === 0 || !chain || !resolved) return { rule, plan: undefined };
    if (isTokenListFailure(resolved)) return planFailedRule(rule, resolved);
    return { rule, plan: ruleType.planReads(resolved, addresses, chain, services) };
  });
}

/** A plan without reads whose verdict is undetermined. */
export function planFailedRule(rule: TokenGatingRule, failure: RuleFailure): PlannedRule {
  return { rule, plan: createReadPlan([], () => toUndetermined(failure)) };
}
