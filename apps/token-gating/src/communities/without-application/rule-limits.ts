import { badRequest, conflict, type InputIssue } from '@app/common';
import type { RuleTypeName, TokenGatingRule } from '@app/dto';
import { getTokenList } from '../../rules/rule-type.js';

/** Limits of communities for which no approved client application stands (docs/adr/0115). */
export const MAX_OWNED_WITHOUT_APPLICATION = 3;
export const MAX_MEMBERS_WITHOUT_APPLICATION = 100;
export const MAX_RULES_WITHOUT_APPLICATION = 10;
/** Checks of all members that are requested for one community in 24 hours; those by schedule and after changes of rules do not count. */
export const MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION = 5;
/** Rule types that are read by plain calls of a chain, in a bounded number. */
export const TYPES_WITHOUT_APPLICATION = [
  'ERC20',
  'ERC721',
  'ERC1155',
  'NATIVE',
  'SOLANA_FT',
] as const satisfies readonly RuleTypeName[];

/** What to do about each of the limits. */
export const REMEDY_WITHOUT_APPLICATION =
  'more needs a client application that an operator has approved for token-gating';

const isAllowedType = ({ type }: TokenGatingRule): boolean =>
  TYPES_WITHOUT_APPLICATION.some((allowed) => allowed === type);

/** The field of a rule that a community without an application may not have, and why. */
function findProblem(
  rule: TokenGatingRule,
): { readonly field: string; readonly message: string } | undefined {
  if (!isAllowedType(rule)) {
    const types = TYPES_WITHOUT_APPLICATION.join(', ');
    return { field: 'type', message: `must be one of ${types}: ${REMEDY_WITHOUT_APPLICATION}` };
  }
  if (getTokenList(rule))
    return {
      field: 'tokenId',
      message: `must name the ids, not a list by URL: ${REMEDY_WITHOUT_APPLICATION}`,
    };
  if ('query' in rule && rule.query !== undefined)
    return {
      field: 'requiresMetadata',
      message: `must be left out, because metadata is not read: ${REMEDY_WITHOUT_APPLICATION}`,
    };
  if ('delegations' in rule && rule.delegations !== undefined)
    return { field: 'delegations', message: `must be left out: ${REMEDY_WITHOUT_APPLICATION}` };
  return undefined;
}

/** Errors of one response. */
const MAX_ISSUES = 50;

/**
 * Checks the rules of a community without an approved client application.
 * @param leaves all rules, those of trees included
 * @throws AppError 400 `portal_rule_limit_exceeded` that names each rule beyond the limits
 */
export function checkRulesWithoutApplication(
  leaves: readonly { readonly path: string; readonly rule: TokenGatingRule }[],
): void {
  const issues: InputIssue[] = leaves.flatMap(({ path, rule }) => {
    const problem = findProblem(rule);
    return problem ? [{ path: `rules.${path}.${problem.field}`, message: problem.message }] : [];
  });
  if (leaves.length > MAX_RULES_WITHOUT_APPLICATION) {
    const message = `hold ${leaves.length} rules, and at most ${MAX_RULES_WITHOUT_APPLICATION} are allowed: ${REMEDY_WITHOUT_APPLICATION}`;
    issues.unshift({ path: 'rules', message });
  }
  const [first] = issues;
  if (first)
    throw badRequest('portal_rule_limit_exceeded', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}

export const portalCommunityLimitExceeded = () =>
  conflict(
    'portal_community_limit_exceeded',
    `A user owns at most ${MAX_OWNED_WITHOUT_APPLICATION} communities without an approved client application: ${REMEDY_WITHOUT_APPLICATION}.`,
  );
