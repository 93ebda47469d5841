import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import { listOf, withIds } from '../rules/readable-rule.js';
import { ruleTypeOf } from '../rules/rule-types.js';

export const MOST_READS = 20_000;

/**
 * @param holders how many addresses are read for at most
 * @throws AppError 400 for rules that ask more of the chains than one request may. Nothing is planned to tell it.
 */
export function checkReadBudget(rules: readonly TokenGatingRule[], holders: number): void {
  const reads = countWrittenReads(rules, holders);
  if (reads <= MOST_READS) return;
  const message = `need ${reads} reads of the chains; at most ${MOST_READS} fit one request: name fewer token ids`;
  throw badRequest('too_many_reads', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}

/** What rules read whose token ids, if any, stand in the request itself. */
export function countWrittenReads(rules: readonly TokenGatingRule[], holders: number): number {
  return rules.reduce(
    (sum, rule) =>
      listOf(rule) ? sum : sum + ruleTypeOf(rule).countReads(withIds(rule, undefined), holders),
    0,
  );
}
