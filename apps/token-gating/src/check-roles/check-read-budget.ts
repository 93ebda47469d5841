import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import { ruleTypeOf } from '../rules/rule-types.js';

export const MOST_READS = 20_000;

/** @throws AppError 400 for rules that ask more of the chains than one request may. Nothing is planned to tell it. */
export function checkReadBudget(rules: readonly TokenGatingRule[]): void {
  const reads = rules.reduce((sum, rule) => sum + ruleTypeOf(rule).countReads(rule), 0);
  if (reads <= MOST_READS) return;
  const message = `need ${reads} reads of the chains; at most ${MOST_READS} fit one request: name fewer token ids`;
  throw badRequest('too_many_reads', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}
