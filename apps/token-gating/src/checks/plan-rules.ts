import type { TokenGatingRule } from '@app/dto';
import type { EvmChainService } from '../rules/chains/evm-chain.service.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { createReadPlan } from '../rules/create-read-plan.js';
import type { ReadPlan } from '../rules/rule-type.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import { type RuleFailure, toUndetermined } from '../rules/verdict.js';
import { isTokenListFailure, type LoadedRule } from './token-lists/load-token-lists.js';

/** A rule and what is to be read for it; without a plan it looks at a chain where the account has no address. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: ReadPlan | undefined;
}

/** `loaded` holds one entry per rule, or nothing when there is no address to plan for. */
export function planRules(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  holders: SubjectAddresses,
  chains: Pick<EvmChainService, 'find'>,
): PlannedRule[] {
  return rules.map((rule, index) => {
    const [chain, readable] = [chains.find(rule.chainId), loaded[index]];
    const addresses = holders.getAddresses(rule.chainId);
    if (addresses.length === 0 || !chain || !readable) return { rule, plan: undefined };
    if (isTokenListFailure(readable)) return planFailedRule(rule, readable);
    return { rule, plan: getRuleType(rule).planReads(readable, addresses, chain) };
  });
}

/** A rule that cannot be told, whatever the chains say. */
export function planFailedRule(rule: TokenGatingRule, failure: RuleFailure): PlannedRule {
  return { rule, plan: createReadPlan([], () => toUndetermined(failure)) };
}
