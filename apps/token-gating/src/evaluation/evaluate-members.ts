import { type HeldWallet, leavesOf, MOST_WALLETS, type RoleRule, type TokenGatingRule } from '@app/dto';
import type { ReadOptions } from '@app/chain/evm';
import { Injectable } from '@nestjs/common';
import { EvmChains } from '../chains/evm-chains.js';
import { MOST_READS } from '../check-roles/check-read-budget.js';
import { loadTokenLists, type ReadBudget } from '../check-roles/load-token-lists.js';
import { mergeRoles, type RoleVerdict } from '../check-roles/merge-roles.js';
import type { WalletsFailure } from '../holders/wallets-failure.js';
import type { Verdict } from '../rules/verdict.js';
import { TokenLists } from '../token-lists/token-lists.js';
import { judgeCondition } from './judge-condition.js';
import { planMember } from './plan-member.js';
import { ReadTogether } from './read-together.js';

/** What rules are accepted by: whoever links as many wallets as one may have is not taken beyond it. */
const BUDGET: ReadBudget = { holders: MOST_WALLETS, most: MOST_READS };

export interface EvaluatedMember {
  readonly userId: string;
  /** Or why they are not known just now. */
  readonly wallets: readonly HeldWallet[] | WalletsFailure;
}

/** What one member's wallets come to: one entry per role that rules name, in the order first seen. */
export interface MemberVerdicts {
  readonly userId: string;
  readonly roles: readonly RoleVerdict[];
}

export interface EvaluateOptions {
  /** Goes behind everybody else: for re-checks that nobody waits for. */
  readonly background?: boolean;
  /** What is not read when it ends is a transient failure. */
  readonly signal?: AbortSignal;
}

/** Which roles a community's rules grant to its members, many members at once. Stores nothing. */
@Injectable()
export class EvaluateMembers {
  constructor(
    private readonly chains: EvmChains,
    private readonly lists: TokenLists,
  ) {}

  /**
   * Reads of all members travel together, a few thousand at a time; what does not depend on the member is read once.
   * @param members in whose order the answer is; 1,000 at most
   */
  async evaluate(
    rules: readonly RoleRule[],
    members: readonly EvaluatedMember[],
    { background = false, signal }: EvaluateOptions = {},
  ): Promise<MemberVerdicts[]> {
    const leaves = leavesOf(rules);
    const loaded = await loadTokenLists(leaves, this.lists, BUDGET);
    const options: ReadOptions = { signal, lane: background ? 'background' : 'foreground' };
    const reading = new ReadTogether(leaves.length, this.chains, options);
    const judged: MemberVerdicts[] = [];
    for (const { userId, wallets } of members) {
      const planned = planMember(leaves, loaded, wallets, this.chains);
      if (!reading.hasRoomFor(planned)) judged.push(...mergeAll(rules, leaves, await reading.read()));
      reading.add(userId, planned);
    }
    return [...judged, ...mergeAll(rules, leaves, await reading.read())];
  }
}

function mergeAll(
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
