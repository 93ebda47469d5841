import { leavesOf, MOST_WALLETS, type RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { MOST_READS } from '../../check-roles/check-read-budget.js';
import { isListFailure, loadTokenLists } from '../../check-roles/load-token-lists.js';
import { ruleTypeOf } from '../../rules/rule-types.js';
import { TokenLists } from '../../token-lists/token-lists.js';

/** As many as identity tells the wallets of at once. */
const MOST_MEMBERS = 1_000;
/** Of members of one page: what one statement stores. */
const MOST_ROLES = 20_000;

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
    const roles = new Set(rules.map(({ roleId }) => roleId)).size;
    return {
      readsPerWallet,
      mostMembers: Math.min(MOST_MEMBERS, Math.floor(MOST_ROLES / Math.max(1, roles))),
    };
  }
}
