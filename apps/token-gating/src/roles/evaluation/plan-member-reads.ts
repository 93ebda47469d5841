import type { LinkedWallet, TokenGatingRule } from '@app/dto';
import { planFailedRule, type PlannedRule, planRules } from '../../checks/plan-rules.js';
import type { LoadedRule } from '../../checks/token-lists/load-token-lists.js';
import type { ChainService } from '../../rules/chains/chain.service.js';
import { getReadChainId, readsChain } from '../../rules/get-read-chain-id.js';
import type { RuleServices } from '../../rules/rule-services.js';
import type { RuleFailure } from '../../rules/verdict.js';
import type { WalletLookupFailure } from '../../rules/wallet-lookup-failure.js';
import { toSubjectAddresses } from '../../subjects/to-subject-addresses.js';

/** Plans the reads of one member, rule by rule. */
export function planMemberReads(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  wallets: readonly LinkedWallet[] | WalletLookupFailure,
  chains: Pick<ChainService, 'find'>,
  services: RuleServices,
): PlannedRule[] {
  if ('code' in wallets) return rules.map((rule) => planFailedRule(rule, wallets));
  const addresses = toSubjectAddresses(wallets);
  return planRules(rules, loaded, addresses, chains, services).map((planned) => {
    const { rule } = planned;
    const chainId = getReadChainId(rule);
    // Stored rules may name a chain that was since removed from the configuration. Its roles are undetermined, not revoked.
    const isUnknownChain =
      readsChain(rule) && addresses.getAddresses(chainId).length > 0 && !chains.find(chainId)?.rpcUrls.length;
    return isUnknownChain ? planFailedRule(rule, createUnknownChainFailure(chainId)) : planned;
  });
}

const createUnknownChainFailure = (chainId: number): RuleFailure => ({
  ok: false,
  permanent: true,
  code: 'unknown_chain',
  message: `chain ${chainId} has no node in this deployment`,
});
