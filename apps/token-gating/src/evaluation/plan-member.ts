import type { HeldWallet, TokenGatingRule } from '@app/dto';
import type { EvmChains } from '../chains/evm-chains.js';
import type { LoadedRule } from '../check-roles/load-token-lists.js';
import { failedRule, type PlannedRule, planRules } from '../check-roles/plan-rules.js';
import { holdersOf } from '../holders/holders-of.js';
import type { WalletsFailure } from '../holders/wallets-failure.js';
import type { RuleFailure } from '../rules/verdict.js';

/** What is to be read for one member, rule by rule. */
export function planMember(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  wallets: readonly HeldWallet[] | WalletsFailure,
  chains: Pick<EvmChains, 'find'>,
): PlannedRule[] {
  if ('code' in wallets) return rules.map((rule) => failedRule(rule, wallets));
  const holders = holdersOf(wallets);
  return planRules(rules, loaded, holders, chains).map((planned) => {
    const { rule } = planned;
    // Rules outlive the configuration that they were written under. A chain that is gone takes no role from anybody.
    const isGone = holders.on(rule.chainId).length > 0 && !chains.find(rule.chainId)?.rpcUrls.length;
    return isGone ? failedRule(rule, noNode(rule.chainId)) : planned;
  });
}

const noNode = (chainId: number): RuleFailure => ({
  ok: false,
  lasting: true,
  code: 'unknown_chain',
  message: `chain ${chainId} has no node in this deployment`,
});
