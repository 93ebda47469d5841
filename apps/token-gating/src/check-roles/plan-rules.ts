import type { EvmAddress, TokenGatingRule } from '@app/dto';
import type { EvmChains } from '../chains/evm-chains.js';
import { plan } from '../rules/plan.js';
import type { Plan } from '../rules/rule-type.js';
import { ruleTypeOf } from '../rules/rule-types.js';
import { undetermined } from '../rules/verdict.js';
import { isListFailure, type LoadedRule } from './load-token-lists.js';

/** A rule and what is to be read for it; without a plan it is of another chain family than the account. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: Plan | undefined;
}

/** `loaded` holds one entry per rule, or nothing when there is no holder to plan for. */
export function planRules(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  holder: EvmAddress | undefined,
  chains: Pick<EvmChains, 'find'>,
): PlannedRule[] {
  return rules.map((rule, index) => {
    const [chain, readable] = [chains.find(rule.chainId), loaded[index]];
    if (!holder || !chain || !readable) return { rule, plan: undefined };
    if (isListFailure(readable)) return { rule, plan: plan([], () => undetermined(readable)) };
    return { rule, plan: ruleTypeOf(rule).plan(readable, holder, chain) };
  });
}
