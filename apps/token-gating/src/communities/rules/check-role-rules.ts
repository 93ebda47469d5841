import { badRequest } from '@app/common';
import { MAX_WALLETS_PER_USER, collectRulesWithPaths, type RoleRule, type TokenGatingRule } from '@app/dto';
import type { EvmChainService } from '../../rules/chains/evm-chain.service.js';
import { checkChains } from '../../checks/check-chains.js';
import { countInlineReads, MAX_READS } from '../../checks/check-read-budget.js';
import { checkTokenLists } from '../../checks/token-lists/check-token-lists.js';
import type { TokenListService } from '../../checks/token-lists/token-list.service.js';

/**
 * What can be said of rules without asking a node, as check-roles says it. They must fit one check of a user with as
 * many wallets as one may have: linking a wallet must not make a role undetermined.
 * @throws AppError 400
 */
export function checkRoleRules(
  rules: readonly RoleRule[],
  chains: Pick<EvmChainService, 'find'>,
  lists: Pick<TokenListService, 'getBlockReason'>,
): void {
  const placed = collectRulesWithPaths(rules);
  const leaves = placed.map(({ rule }) => rule);
  const placeOf = (index: number) => `rules.${placed[index]?.path ?? ''}`;
  checkChains(leaves, chains, placeOf);
  checkReadsPerMember(leaves);
  checkTokenLists(leaves, lists, placeOf);
}

/** @throws AppError 400 */
function checkReadsPerMember(leaves: readonly TokenGatingRule[]): void {
  const reads = countInlineReads(leaves, MAX_WALLETS_PER_USER);
  if (reads <= MAX_READS) return;
  const message =
    `need ${reads} reads of the chains for a member with ${MAX_WALLETS_PER_USER} wallets; at most ${MAX_READS} are made: ` +
    'name fewer token ids';
  throw badRequest('rule_read_limit_exceeded', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}

/** @throws AppError 400 that names every rule whose role the community does not have */
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

/** Enough to mend a request by. */
const MAX_ISSUES = 50;
