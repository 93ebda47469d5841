import { badRequest } from '@app/common';
import { collectRulesWithPaths, MAX_WALLETS_PER_USER, type RoleRule, type TokenGatingRule } from '@app/dto';
import { checkChains } from '../../checks/check-chains.js';
import { checkRuleTypes } from '../../checks/check-rule-types.js';
import { countInlineReads, MAX_READS } from '../../checks/check-read-budget.js';
import { checkTokenLists } from '../../checks/token-lists/check-token-lists.js';
import type { TokenListService } from '../../checks/token-lists/token-list.service.js';
import type { RuleServices } from '../../rules/rule-services.js';
import type { ChainService } from '../../rules/chains/chain.service.js';

/** Errors of one response. */
const MAX_ISSUES = 50;

/**
 * Validates rules without reading a chain, like check-roles does. They must fit the read budget of a user with the most
 * wallets that one may have, so that linking a wallet never makes a role undetermined.
 * @throws AppError 400
 */
export function checkRoleRules(
  rules: readonly RoleRule[],
  chains: Pick<ChainService, 'find'>,
  lists: Pick<TokenListService, 'getBlockReason'>,
  services: RuleServices,
): void {
  const rulesWithPaths = collectRulesWithPaths(rules);
  const leaves = rulesWithPaths.map(({ rule }) => rule);
  const getPath = (index: number) => `rules.${rulesWithPaths[index]?.path ?? ''}`;
  checkChains(leaves, chains, getPath);
  checkRuleTypes(leaves, services, getPath);
  checkReadsPerMember(leaves);
  checkTokenLists(leaves, lists, getPath);
}

/** @throws AppError 400 */
function checkReadsPerMember(leaves: readonly TokenGatingRule[]): void {
  const reads = countInlineReads(leaves, MAX_WALLETS_PER_USER);
  if (reads <= MAX_READS) return;
  const message =
    `need ${reads} chain reads for a member with ${MAX_WALLETS_PER_USER} wallets, and at most ${MAX_READS} are allowed: ` +
    'use fewer token ids';
  throw badRequest('rule_read_limit_exceeded', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}

/** @throws AppError 400 with an issue for every rule whose role the community does not have */
export function checkRolesExist(rules: readonly RoleRule[], roleIds: ReadonlySet<string>): void {
  const issues = rules.flatMap(({ roleId }, index) =>
    roleIds.has(roleId)
      ? []
      : [{ path: `rules.${index}.roleId`, message: `${roleId} is not a role of the community` }],
  );
  const [first] = issues;
  if (first)
    throw badRequest('role_invalid', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}
