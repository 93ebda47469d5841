import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import type { RuleServices } from '../rules/rule-services.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import { formatRulePath, type RulePathFormatter } from './validate-rules.js';

const MAX_ISSUES = 50;

/** @throws AppError 400 that names the rules which this deployment is not configured for */
export function checkRuleTypes(
  rules: readonly TokenGatingRule[],
  services: RuleServices,
  formatPath: RulePathFormatter = formatRulePath,
): void {
  const issues = rules.flatMap((rule, index) => {
    const problem = getRuleType(rule).findProblem?.(rule, services);
    return problem ? [{ path: `${formatPath(index)}.${problem.field}`, message: problem.message }] : [];
  });
  const [first] = issues;
  if (first)
    throw badRequest('rule_not_supported', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}
