import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import { getTokenList, resolveTokenIds } from '../rules/resolved-rule.js';
import { getRuleType } from '../rules/rule-type-registry.js';

export const MAX_READS = 20_000;

/**
 * @param holders how many addresses are read for at most
 * @throws AppError 400 for rules that ask more of the chains than one request may. Nothing is planned to tell it.
 */
export function checkReadBudget(rules: readonly TokenGatingRule[], holders: number): void {
  const reads = countInlineReads(rules, holders);
  if (reads <= MAX_READS) return;
  const message = `need ${reads} reads of the chains; at most ${MAX_READS} fit one request: name fewer token ids`;
  throw badRequest('rule_read_limit_exceeded', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}

/** What rules read whose token ids, if any, stand in the request itself. */
export function countInlineReads(rules: readonly TokenGatingRule[], holders: number): number {
  return rules.reduce(
    (sum, rule) =>
      getTokenList(rule)
        ? sum
        : sum + getRuleType(rule).countReads(resolveTokenIds(rule, undefined), holders),
    0,
  );
}
