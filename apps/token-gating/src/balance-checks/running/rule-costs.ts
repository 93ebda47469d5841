import { leavesOf, MOST_WALLETS, type RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { MOST_READS } from '../../check-roles/check-read-budget.js';
import { isListFailure, loadTokenLists } from '../../check-roles/load-token-lists.js';
import { membersAtOnce } from '../../role-assignments/members-at-once.js';
import { ruleTypeOf } from '../../rules/rule-types.js';
import { TokenLists } from '../../token-lists/token-lists.js';

/** How large a page of members may be by some rules. */
export interface RuleCost {
  /** What one more wallet costs, without what is read once for all: decimals, and owners of tokens. */
  readonly readsPerWallet: number;
  readonly mostMembers: number;
}

@Injectable()
export class RuleCosts {
  constructor(private readonly lists: TokenLists) {}

  async of(rules: readonly RoleRule[]): Promise<RuleCost> {
    const budget = { holders: MOST_WALLETS, most: MOST_READS };
    const loaded = await loadTokenLists(leavesOf(rules), this.lists, budget);
    const readsPerWallet = loaded.reduce((sum, rule) => {
      if (isListFailure(rule)) return sum;
      const { countReads } = ruleTypeOf(rule);
      return sum + countReads(rule, 2) - countReads(rule, 1);
    }, 0);
    return { readsPerWallet, mostMembers: membersAtOnce(rules) };
  }
}
