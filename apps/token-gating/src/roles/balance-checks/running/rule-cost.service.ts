import { collectRules, MAX_WALLETS_PER_USER, type RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { MAX_READS } from '../../../checks/validate-rules.js';
import { isTokenListFailure, loadTokenLists } from '../../../checks/token-lists/load-token-lists.js';
import { computeMemberBatchSize } from '../../assignments/to-assignment-batches.js';
import { getRuleType } from '../../../rules/rule-type-registry.js';
import { TokenListService } from '../../../checks/token-lists/token-list.service.js';

/** Bounds the page of members that can be checked together by some rules. */
export interface RuleCost {
  /** Reads per wallet, without those that all members share, such as decimals and owners of tokens. */
  readonly readsPerWallet: number;
  readonly maxMembers: number;
}

@Injectable()
export class RuleCostService {
  constructor(private readonly lists: TokenListService) {}

  async estimate(rules: readonly RoleRule[], tenantId: string): Promise<RuleCost> {
    const budget = { tenantId, addressCount: MAX_WALLETS_PER_USER, maxReads: MAX_READS };
    const loaded = await loadTokenLists(collectRules(rules), this.lists, budget);
    const readsPerWallet = loaded.reduce((sum, rule) => {
      if (isTokenListFailure(rule)) return sum;
      const { countReads } = getRuleType(rule);
      return sum + countReads(rule, 2) - countReads(rule, 1);
    }, 0);
    return { readsPerWallet, maxMembers: computeMemberBatchSize(rules) };
  }
}
