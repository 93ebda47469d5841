import type { TokenGatingRule } from '@app/dto';
import type { EvmChains } from '../chains/evm-chains.js';
import type { Holders } from '../holders/holders.js';
import { plan } from '../rules/plan.js';
import type { Plan } from '../rules/rule-type.js';
import { ruleTypeOf } from '../rules/rule-types.js';
import { type RuleFailure, undetermined } from '../rules/verdict.js';
import { isListFailure, type LoadedRule } from './load-token-lists.js';

/** A rule and what is to be read for it; without a plan it looks at a chain where the account has no address. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: Plan | undefined;
}

/** `loaded` holds one entry per rule, or nothing when there is no address to plan for. */
export function planRules(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  holders: Holders,
  chains: Pick<EvmChains, 'find'>,
): PlannedRule[] {
  return rules.map((rule, index) => {
    const [chain, readable] = [chains.find(rule.chainId), loaded[index]];
    const addresses = holders.on(rule.chainId);
    if (addresses.length === 0 || !chain || !readable) return { rule, plan: undefined };
    if (isListFailure(readable)) return failedRule(rule, readable);
    return { rule, plan: ruleTypeOf(rule).plan(readable, addresses, chain) };
  });
}

/** A rule that cannot be told, whatever the chains say. */
export function failedRule(rule: TokenGatingRule, failure: RuleFailure): PlannedRule {
  return { rule, plan: plan([], () => undetermined(failure)) };
}
