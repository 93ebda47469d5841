import { badRequest } from '@app/common';
import { MOST_WALLETS, placedLeavesOf, type RoleRule, type TokenGatingRule } from '@app/dto';
import type { EvmChains } from '../../chains/evm-chains.js';
import { checkChains } from '../../check-roles/check-chains.js';
import { countWrittenReads, MOST_READS } from '../../check-roles/check-read-budget.js';
import { checkTokenLists } from '../../check-roles/check-token-lists.js';
import type { TokenLists } from '../../token-lists/token-lists.js';

/**
 * What can be said of rules without asking a node, as check-roles says it. They must fit one check of a user with as
 * many wallets as one may have: linking a wallet must not make a role undetermined.
 * @throws AppError 400
 */
export function checkRoleRules(
  rules: readonly RoleRule[],
  chains: Pick<EvmChains, 'find'>,
  lists: Pick<TokenLists, 'refusalOf'>,
): void {
  const placed = placedLeavesOf(rules);
  const leaves = placed.map(({ rule }) => rule);
  const placeOf = (index: number) => `rules.${placed[index]?.path ?? ''}`;
  checkChains(leaves, chains, placeOf);
  checkReadsOfWallet(leaves);
  checkTokenLists(leaves, lists, placeOf);
}

/** @throws AppError 400 */
function checkReadsOfWallet(leaves: readonly TokenGatingRule[]): void {
  const reads = countWrittenReads(leaves, MOST_WALLETS);
  if (reads <= MOST_READS) return;
  const message =
    `need ${reads} reads of the chains for a member with ${MOST_WALLETS} wallets; at most ${MOST_READS} are made: ` +
    'name fewer token ids';
  throw badRequest('too_many_reads', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
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
    throw badRequest('unknown_role', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MOST_ISSUES),
    });
}

/** Enough to mend a request by. */
const MOST_ISSUES = 50;
