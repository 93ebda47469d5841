import type { EvmAddress, TokenGatingRule } from '@app/dto';
import type { EvmChains } from '../chains/evm-chains.js';
import type { Plan } from '../rules/rule-type.js';
import { ruleTypeOf } from '../rules/rule-types.js';

/** A rule and what is to be read for it; without a plan it is of another chain family than the account. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: Plan | undefined;
}

export function planRules(
  rules: readonly TokenGatingRule[],
  holder: EvmAddress | undefined,
  chains: Pick<EvmChains, 'find'>,
): PlannedRule[] {
  return rules.map((rule) => {
    const chain = holder && chains.find(rule.chainId);
    return { rule, plan: chain && ruleTypeOf(rule).plan(rule, holder, chain) };
  });
}
