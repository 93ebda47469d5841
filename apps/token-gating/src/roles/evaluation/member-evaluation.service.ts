import type { ReadOptions } from '@app/chain/evm';
import { collectRules, MAX_WALLETS_PER_USER, type RoleRule, type TokenGatingRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { MAX_READS } from '../../checks/check-read-budget.js';
import { mergeRoles } from '../../checks/merge-roles.js';
import { loadTokenLists, type ReadBudget } from '../../checks/token-lists/load-token-lists.js';
import { TokenListService } from '../../checks/token-lists/token-list.service.js';
import { ChainService } from '../../rules/chains/chain.service.js';
import type { Verdict } from '../../rules/verdict.js';
import { judgeCondition } from './judge-condition.js';
import type { MemberWallets } from './load-member-wallets.js';
import { MemberReadBatch } from './member-read-batch.js';
import type { MemberVerdicts } from './member-verdicts.js';
import { planMemberReads } from './plan-member-reads.js';

/** The same budget that rules are accepted by, so that a member with the maximum of wallets fits. */
const READ_BUDGET: ReadBudget = { addressCount: MAX_WALLETS_PER_USER, maxReads: MAX_READS };

interface EvaluationOptions {
  /** Reads with low priority, for checks that no request waits for. */
  readonly background?: boolean;
  /** Reads that are not finished when it aborts are transient failures. */
  readonly signal?: AbortSignal;
}

/** Determines which roles a community's rules grant to its members. Stores nothing. */
@Injectable()
export class MemberEvaluationService {
  constructor(
    private readonly chains: ChainService,
    private readonly lists: TokenListService,
  ) {}

  /**
   * Batches the reads of all members. Reads that do not depend on the member are made once.
   * @param members at most 1,000
   * @returns verdicts in the order of `members`
   */
  async evaluate(
    rules: readonly RoleRule[],
    members: readonly MemberWallets[],
    { background = false, signal }: EvaluationOptions = {},
  ): Promise<MemberVerdicts[]> {
    const leaves = collectRules(rules);
    const loadedRules = await loadTokenLists(leaves, this.lists, READ_BUDGET);
    const options: ReadOptions = { signal, lane: background ? 'background' : 'foreground' };
    const batch = new MemberReadBatch(leaves.length, this.chains, options);
    const verdicts: MemberVerdicts[] = [];
    for (const { userId, wallets } of members) {
      const planned = planMemberReads(leaves, loadedRules, wallets, this.chains);
      if (!batch.canAdd(planned)) verdicts.push(...toMemberVerdicts(rules, leaves, await batch.flush()));
      batch.add(userId, planned);
    }
    return [...verdicts, ...toMemberVerdicts(rules, leaves, await batch.flush())];
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
    const judged = rules.map(({ condition }) => judgeCondition(condition, verdictOf));
    return { userId, roles: mergeRoles(rules, judged) };
  });
}
