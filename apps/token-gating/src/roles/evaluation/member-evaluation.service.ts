import {
  type LinkedWallet,
  collectRules,
  MAX_WALLETS_PER_USER,
  type RoleRule,
  type TokenGatingRule,
} from '@app/dto';
import type { ReadOptions } from '@app/chain/evm';
import { Injectable } from '@nestjs/common';
import { EvmChainService } from '../../rules/chains/evm-chain.service.js';
import { MAX_READS } from '../../checks/check-read-budget.js';
import { loadTokenLists, type ReadBudget } from '../../checks/token-lists/load-token-lists.js';
import { mergeRoles, type RoleVerdict } from '../../checks/merge-roles.js';
import type { WalletLookupFailure } from '../../rules/wallet-lookup-failure.js';
import type { Verdict } from '../../rules/verdict.js';
import { TokenListService } from '../../checks/token-lists/token-list.service.js';
import { judgeCondition } from './judge-condition.js';
import { planMemberReads } from './plan-member-reads.js';
import { MemberReadBatch } from './member-read-batch.js';

/** What rules are accepted by: whoever links as many wallets as one may have is not taken beyond it. */
const READ_BUDGET: ReadBudget = { addressCount: MAX_WALLETS_PER_USER, maxReads: MAX_READS };

export interface MemberWallets {
  readonly userId: string;
  /** Or why they are not known just now. */
  readonly wallets: readonly LinkedWallet[] | WalletLookupFailure;
}

/** What one member's wallets come to: one entry per role that rules name, in the order first seen. */
export interface MemberVerdicts {
  readonly userId: string;
  readonly roles: readonly RoleVerdict[];
}

export interface EvaluationOptions {
  /** Goes behind everybody else: for re-checks that nobody waits for. */
  readonly background?: boolean;
  /** What is not read when it ends is a transient failure. */
  readonly signal?: AbortSignal;
}

/** Which roles a community's rules grant to its members, many members at once. Stores nothing. */
@Injectable()
export class MemberEvaluationService {
  constructor(
    private readonly chains: EvmChainService,
    private readonly lists: TokenListService,
  ) {}

  /**
   * Reads of all members travel together, a few thousand at a time; what does not depend on the member is read once.
   * @param members in whose order the answer is; 1,000 at most
   */
  async evaluate(
    rules: readonly RoleRule[],
    members: readonly MemberWallets[],
    { background = false, signal }: EvaluationOptions = {},
  ): Promise<MemberVerdicts[]> {
    const leaves = collectRules(rules);
    const loaded = await loadTokenLists(leaves, this.lists, READ_BUDGET);
    const options: ReadOptions = { signal, lane: background ? 'background' : 'foreground' };
    const reading = new MemberReadBatch(leaves.length, this.chains, options);
    const judged: MemberVerdicts[] = [];
    for (const { userId, wallets } of members) {
      const planned = planMemberReads(leaves, loaded, wallets, this.chains);
      if (!reading.canAdd(planned)) judged.push(...toMemberVerdicts(rules, leaves, await reading.flush()));
      reading.add(userId, planned);
    }
    return [...judged, ...toMemberVerdicts(rules, leaves, await reading.flush())];
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
    const entries = rules.map(({ condition }) => judgeCondition(condition, verdictOf));
    return { userId, roles: mergeRoles(rules, entries) };
  });
}
