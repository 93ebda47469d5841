import type { TokenGatingRule } from '@app/dto';
import { getTokenList, type ResolvedRule, resolveTokenIds } from '../../rules/resolved-rule.js';
import { getRuleType } from '../../rules/rule-type-registry.js';
import { type TokenListFailure, createTokenListFailure } from '../../rules/token-list-failure.js';
import type { TokenListService } from './token-list.service.js';
import { countInlineReads } from '../check-read-budget.js';

/** A rule that can be planned, or why its token ids are not known. */
export type LoadedRule = ResolvedRule | TokenListFailure;

/** What rules may read. */
export interface ReadBudget {
  /** How many addresses are read for at most. */
  readonly addressCount: number;
  readonly maxReads: number;
}

export const isTokenListFailure = (loaded: LoadedRule): loaded is TokenListFailure => 'permanent' in loaded;

/**
 * Fetches the lists that rules name. How long one is shows only now: those that do not fit what a request may read any more
 * are not read.
 */
export async function loadTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenListService, 'find'>,
  { addressCount, maxReads }: ReadBudget,
): Promise<LoadedRule[]> {
  // Most requests name none, and pay nothing for it.
  if (!rules.some(getTokenList)) return rules.map((rule) => resolveTokenIds(rule, undefined));
  let left = maxReads - countInlineReads(rules, addressCount);
  const found = await Promise.all(
    rules.map(async (rule) => {
      const list = getTokenList(rule);
      return list && (await lists.find(list.url));
    }),
  );
  return rules.map((rule, index): LoadedRule => {
    const ids = found[index];
    if (ids && 'code' in ids) return ids;
    const loaded = resolveTokenIds(rule, ids);
    if (!ids) return loaded;
    left -= getRuleType(rule).countReads(loaded, addressCount);
    if (left >= 0) return loaded;
    return createTokenListFailure(
      'list_malformed',
      `makes more than ${maxReads} reads of all rules together`,
    );
  });
}
