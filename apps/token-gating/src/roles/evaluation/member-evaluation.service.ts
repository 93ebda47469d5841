import {
  collectRules,
  type LinkedWallet,
  listRulesOf,
  MAX_WALLETS_PER_USER,
  type RoleRule,
  type TokenGatingRule,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { planFailedRule, type PlannedRule, PlanObserver, planRules } from '../../checks/evaluate-rules.js';
import { type ExplainedRule, explainRules } from '../../checks/explain-rules.js';
import { judgeWhole } from '../../checks/judge-condition.js';
import { MAX_READS } from '../../checks/validate-rules.js';
import { mergeRoles } from '../../checks/roles-response.js';
import { type LoadedRule, loadTokenLists, TokenListService } from '../../checks/token-list.service.js';
import { type ChainReadOptions, ChainService, type RoleReadLane } from '../../rules/chains/chain.service.js';
import { getReadChainId, readsChain } from '../../rules/rule-type.js';
import { RuleServices } from '../../rules/rule-services.js';
import type { RuleFailure, Verdict } from '../../rules/verdict.js';
import type { WalletLookupFailure } from '../../rules/rule-failures.js';
import { type MemberVaults, toSubjectAddresses } from '../../subjects/subject-addresses.js';
import { DelegatedVaultsService } from './delegated-vaults.js';
import type { MemberVerdicts } from './member-verdicts.js';
import type { MemberWallets } from './load-member-wallets.js';
import { MemberReadBatch } from './member-read-batch.js';

/** What the plan of one member is made with. */
interface PlanningParts {
  readonly chains: Pick<ChainService, 'find'>;
  readonly services: RuleServices;
  readonly vaults: MemberVaults | undefined;
}

/** Plans the reads of one member, rule by rule. */
function planMemberReads(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  wallets: readonly LinkedWallet[] | WalletLookupFailure,
  { chains, services, vaults }: PlanningParts,
): PlannedRule[] {
  if ('code' in wallets) return rules.map((rule) => planFailedRule(rule, wallets));
  const addresses = { ...toSubjectAddresses(wallets), ...(vaults && { vaults }) };
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

/** The same budget that rules are accepted by, so that a member with the maximum of wallets fits. */
const READ_BUDGET = { addressCount: MAX_WALLETS_PER_USER, maxReads: MAX_READS };

interface EvaluationOptions {
  /** The community in which a vault counts for one member only. */
  readonly communityId: string;
  /**
   * The tenant whose share of what evaluations have in common the evaluation takes: in the background, the owner of the
   * community.
   */
  readonly tenantId: string;
  /**
   * Checks that no request waits for read with low priority: `background`, or `limited` where no approved client application stands
   * for the community.
   */
  readonly lane?: RoleReadLane;
  /** Reads that are not finished when it aborts are transient failures. */
  readonly signal?: AbortSignal;
}

/** Determines which roles a community's rules grant to its members. Stores nothing. */
@Injectable()
export class MemberEvaluationService {
  constructor(
    private readonly chains: ChainService,
    private readonly lists: TokenListService,
    private readonly services: RuleServices,
    private readonly delegatedVaults: DelegatedVaultsService,
  ) {}

  /**
   * Batches the reads of all members. Reads that do not depend on the member are made once.
   * @param members at most 1,000
   * @param options reads that are not finished when its signal aborts are transient failures
   * @returns verdicts in the order of `members`
   */
  async evaluate(
    rules: readonly RoleRule[],
    members: readonly MemberWallets[],
    { communityId, tenantId, lane = 'foreground', signal }: EvaluationOptions,
  ): Promise<MemberVerdicts[]> {
    const leaves = collectRules(rules);
    const loadedRules = await loadTokenLists(leaves, this.lists, { tenantId, ...READ_BUDGET });
    const options: ChainReadOptions = { signal, tenantId, lane };
    const batch = new MemberReadBatch(leaves.length, this.chains, options);
    const userIds = members.map(({ userId }) => userId);
    const opened = await this.delegatedVaults.open(communityId, userIds, leaves);
    const verdicts: MemberVerdicts[] = [];
    const flush = async () => {
      const judged = await batch.flush();
      await opened?.close(leaves, judged);
      verdicts.push(...toMemberVerdicts(rules, leaves, judged));
    };
    for (const { userId, wallets } of members) {
      const parts = { chains: this.chains, services: this.services, vaults: opened?.find(userId) };
      const planned = planMemberReads(leaves, loadedRules, wallets, parts);
      if (!batch.canAdd(planned)) await flush();
      batch.add(userId, planned);
    }
    await flush();
    return verdicts;
  }

  /**
   * Evaluates one member with an explanation of every rule. Makes the reads of `evaluate`.
   * @param options `showsHoldings`: whether the explanations name wallets and amounts
   */
  async explain(
    rules: readonly RoleRule[],
    { userId, wallets }: MemberWallets,
    { communityId, tenantId, signal, showsHoldings }: EvaluationOptions & { readonly showsHoldings: boolean },
  ): Promise<MemberVerdicts> {
    const explained = listExplainedRules(rules);
    const leaves = explained.map(({ checked }) => checked);
    const loaded = await loadTokenLists(leaves, this.lists, { tenantId, ...READ_BUDGET });
    const batch = new MemberReadBatch(leaves.length, this.chains, { signal, tenantId, lane: 'foreground' });
    const observer = new PlanObserver();
    const opened = await this.delegatedVaults.open(communityId, [userId], leaves);
    const parts = { chains: this.chains, services: this.services, vaults: opened?.find(userId) };
    batch.add(userId, observer.observe(planMemberReads(leaves, loaded, wallets, parts)));
    const judged = await batch.flush();
    await opened?.close(leaves, judged);
    const [verdicts] = toMemberVerdicts(rules, leaves, judged);
    const addresses = 'code' in wallets ? wallets : toSubjectAddresses(wallets);
    const subject = { addresses, isUser: true, showsHoldings };
    return {
      userId,
      roles: verdicts?.roles ?? [],
      explanations: explainRules(explained, judged[0]?.verdicts ?? [], observer, subject),
    };
  }
}

function toMemberVerdicts(
  rules: readonly RoleRule[],
  leaves: readonly TokenGatingRule[],
  members: readonly { readonly userId: string; readonly verdicts: readonly Verdict[] }[],
): MemberVerdicts[] {
  return members.map(({ userId, verdicts }) => {
    const byRule = new Map(leaves.map((leaf, index) => [leaf, verdicts[index]]));
    const verdictOf = (rule: TokenGatingRule): Verdict => {
      const verdict = byRule.get(rule);
      if (!verdict) throw new Error('A rule was not judged');
      return verdict;
    };
    const judged = rules.map(({ condition }) => judgeWhole(condition, verdictOf));
    return { userId, roles: mergeRoles(rules, judged) };
  });
}

/** The rules of all entries, in order, with their paths in the entries. */
const listExplainedRules = (rules: readonly RoleRule[]): ExplainedRule[] =>
  rules.flatMap(({ roleId, condition }, rule) =>
    listRulesOf(condition).map(({ path, rule: checked }) => ({
      checked,
      roleId,
      rule,
      path: path === '' ? undefined : path,
    })),
  );
