import type { TokenGatingRule } from '@app/dto';
import { listOf, type ReadableRule, withIds } from '../rules/readable-rule.js';
import { ruleTypeOf } from '../rules/rule-types.js';
import { type ListFailure, listFailure } from '../token-lists/list-failure.js';
import type { TokenLists } from '../token-lists/token-lists.js';
import { countWrittenReads } from './check-read-budget.js';

/** A rule that can be planned, or why its token ids are not known. */
export type LoadedRule = ReadableRule | ListFailure;

/** What rules may read. */
export interface ReadBudget {
  /** How many addresses are read for at most. */
  readonly holders: number;
  readonly most: number;
}

export const isListFailure = (loaded: LoadedRule): loaded is ListFailure => 'lasting' in loaded;

/**
 * Fetches the lists that rules name. How long one is shows only now: those that do not fit what a request may read any more
 * are not read.
 */
export async function loadTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenLists, 'find'>,
  { holders, most }: ReadBudget,
): Promise<LoadedRule[]> {
  // Most requests name none, and pay nothing for it.
  if (!rules.some(listOf)) return rules.map((rule) => withIds(rule, undefined));
  let left = most - countWrittenReads(rules, holders);
  const found = await Promise.all(
    rules.map(async (rule) => {
      const list = listOf(rule);
      return list && (await lists.find(list.url));
    }),
  );
  return rules.map((rule, index): LoadedRule => {
    const ids = found[index];
    if (ids && 'code' in ids) return ids;
    const loaded = withIds(rule, ids);
    if (!ids) return loaded;
    left -= ruleTypeOf(rule).countReads(loaded, holders);
    if (left >= 0) return loaded;
    return listFailure('list_malformed', `makes more than ${most} reads of all rules together`);
  });
}
