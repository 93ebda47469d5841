import type { TokenGatingRule } from '@app/dto';
import { getTokenList, type ResolvedRule, resolveTokenIds } from '../../rules/rule-type.js';
import { getRuleType } from '../../rules/rule-type-registry.js';
import { type TokenListFailure, createTokenListFailure } from '../../rules/lookup-failures.js';
import type { TokenListService } from './token-list.service.js';
import { countInlineReads } from '../validate-rules.js';

/** A rule with its token ids, or why they could not be loaded. */
export type LoadedRule = ResolvedRule | TokenListFailure;

export interface ReadBudget {
  /** The tenant whose share of the fetches in progress the lists take. */
  readonly tenantId: string;
  /** Maximum number of addresses that are read per rule. */
  readonly addressCount: number;
  readonly maxReads: number;
}

export const isTokenListFailure = (loaded: LoadedRule): loaded is TokenListFailure => 'permanent' in loaded;

/**
 * Fetches the token lists that rules name. The length of a list is known only after fetching it: lists that exceed the rest
 * of the read budget become failures.
 */
export async function loadTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenListService, 'find'>,
  { tenantId, addressCount, maxReads }: ReadBudget,
): Promise<LoadedRule[]> {
  // Shortcut for most requests.
  if (!rules.some(getTokenList)) return rules.map((rule) => resolveTokenIds(rule, undefined));
  let remaining = maxReads - countInlineReads(rules, addressCount);
  const tokenIds = await Promise.all(
    rules.map(async (rule) => {
      const list = getTokenList(rule);
      return list && (await lists.find(list.url, tenantId));
    }),
  );
  return rules.map((rule, index): LoadedRule => {
    const ids = tokenIds[index];
    if (ids && 'code' in ids) return ids;
    const loaded = resolveTokenIds(rule, ids);
    if (!ids) return loaded;
    remaining -= getRuleType(rule).countReads(loaded, addressCount);
    if (remaining >= 0) return loaded;
    return createTokenListFailure(
      'list_malformed',
      `makes more than ${maxReads} reads of all rules together`,
    );
  });
}

export function countReads(rules: readonly LoadedRule[], addressCount: number): number {
  return rules.reduce(
    (sum, rule) => (isTokenListFailure(rule) ? sum : sum + getRuleType(rule).countReads(rule, addressCount)),
    0,
  );
}
