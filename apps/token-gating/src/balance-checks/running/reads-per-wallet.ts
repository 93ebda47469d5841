import { leavesOf, type RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { MOST_READS_OF_WALLET } from '../../check-roles/check-read-budget.js';
import { isListFailure, loadTokenLists } from '../../check-roles/load-token-lists.js';
import { ruleTypeOf } from '../../rules/rule-types.js';
import { TokenLists } from '../../token-lists/token-lists.js';

/** What one more wallet costs by some rules, without what is read once for all: decimals, and owners of tokens. */
@Injectable()
export class ReadsPerWallet {
  constructor(private readonly lists: TokenLists) {}

  async count(rules: readonly RoleRule[]): Promise<number> {
    const budget = { holders: 1, most: MOST_READS_OF_WALLET };
    const loaded = await loadTokenLists(leavesOf(rules), this.lists, budget);
    return loaded.reduce((sum, rule) => {
      if (isListFailure(rule)) return sum;
      const { countReads } = ruleTypeOf(rule);
      return sum + countReads(rule, 2) - countReads(rule, 1);
    }, 0);
  }
}
