import type { LinkedWallet, TokenGatingRule } from '@app/dto';
import type { EvmChainService } from '../../rules/chains/evm-chain.service.js';
import type { LoadedRule } from '../../checks/token-lists/load-token-lists.js';
import { planFailedRule, type PlannedRule, planRules } from '../../checks/plan-rules.js';
import { toSubjectAddresses } from '../../subjects/to-subject-addresses.js';
import type { WalletLookupFailure } from '../../rules/wallet-lookup-failure.js';
import type { RuleFailure } from '../../rules/verdict.js';

/** What is to be read for one member, rule by rule. */
export function planMemberReads(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  wallets: readonly LinkedWallet[] | WalletLookupFailure,
  chains: Pick<EvmChainService, 'find'>,
): PlannedRule[] {
  if ('code' in wallets) return rules.map((rule) => planFailedRule(rule, wallets));
  const holders = toSubjectAddresses(wallets);
  return planRules(rules, loaded, holders, chains).map((planned) => {
    const { rule } = planned;
    // Rules outlive the configuration that they were written under. A chain that is gone takes no role from anybody.
    const isGone =
      holders.getAddresses(rule.chainId).length > 0 && !chains.find(rule.chainId)?.rpcUrls.length;
    return isGone ? planFailedRule(rule, createUnknownChainFailure(rule.chainId)) : planned;
  });
}

const createUnknownChainFailure = (chainId: number): RuleFailure => ({
  ok: false,
  permanent: true,
  code: 'unknown_chain',
  message: `chain ${chainId} has no node in this deployment`,
});
