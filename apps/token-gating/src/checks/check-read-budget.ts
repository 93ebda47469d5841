import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import { getTokenList, resolveTokenIds } from '../rules/resolved-rule.js';
import { getRuleType } from '../rules/rule-type-registry.js';

/** Maximum chain reads of one request. */
export const MAX_READS = 20_000;

/**
 * Counts reads without planning them.
 * @param addressCount maximum number of addresses that are read per rule
 * @throws AppError 400 for rules that need more than MAX_READS
 */
export function checkReadBudget(rules: readonly TokenGatingRule[], addressCount: number): void {
  const reads = countInlineReads(rules, addressCount);
  if (reads <= MAX_READS) return;
  const message = `need ${reads} reads of the chains; at most ${MAX_READS} fit one request: name fewer token ids`;
  throw badRequest('rule_read_limit_exceeded', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}

/** Reads of the rules that name no token list. */
export function countInlineReads(rules: readonly TokenGatingRule[], addressCount: number): number {
  return rules.reduce(
    (sum, rule) =>
      getTokenList(rule)
        ? sum
        : sum + getRuleType(rule).countReads(resolveTokenIds(rule, undefined), addressCount),
    0,
  );
}
