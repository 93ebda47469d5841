import { badRequest, type InputIssue } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import type { ChainService } from '../rules/chains/chain.service.js';
import { getReadChainId, getTokenList, readsChain, resolveTokenIds } from '../rules/rule-type.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import type { TokenListService } from './token-list.service.js';
import type { RuleServices } from '../rules/rule-services.js';

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
  const message = `need ${reads} reads of the chains; at most ${MAX_READS} fit one request: name fewer token ids or vaults`;
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

/** Dotted path in the request body of the rule at an index. */
export type RulePathFormatter = (index: number) => string;

const MAX_ISSUES = 50;

/** The issues of rules, in their order. Allocates nothing for a rule without one. */
function collectIssues(
  rules: readonly TokenGatingRule[],
  findIssue: (rule: TokenGatingRule, index: number) => InputIssue | undefined,
): InputIssue[] {
  const issues: InputIssue[] = [];
  rules.forEach((rule, index) => {
    const issue = findIssue(rule, index);
    if (issue) issues.push(issue);
  });
  return issues;
}

/** @throws AppError 400 that names the rules whose chain is unknown or has no node in this deployment */
export function checkChains(
  rules: readonly TokenGatingRule[],
  chains: Pick<ChainService, 'find'>,
  formatPath: RulePathFormatter,
): void {
  const issues = collectIssues(rules, (rule, index) => {
    const message = readsChain(rule) ? findChainProblem(getReadChainId(rule), chains) : undefined;
    return message === undefined ? undefined : { path: `${formatPath(index)}.chainId`, message };
  });
  const [first] = issues;
  if (first)
    throw badRequest('chain_not_supported', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}

export function findChainProblem(chainId: number, chains: Pick<ChainService, 'find'>): string | undefined {
  const chain = chains.find(chainId);
  if (!chain) return `${chainId} is not a known chain`;
  return chain.rpcUrls.length === 0 ? `${chainId} (${chain.name}) has no node in this deployment` : undefined;
}

/** Maximum distinct lists of one request. Each may cost a connection and five seconds. */
export const MAX_TOKEN_LISTS = 20;

/** @throws AppError 400 that names every rule whose list URL is not allowed */
export function checkTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenListService, 'getBlockReason'>,
  formatPath: RulePathFormatter,
): void {
  const urls = new Set<string>();
  const issues = collectIssues(rules, (rule, index) => {
    const url = getTokenList(rule)?.url;
    if (url === undefined) return undefined;
    urls.add(url);
    const message = lists.getBlockReason(url);
    return message === undefined ? undefined : { path: `${formatPath(index)}.tokenId`, message };
  });
  const [first] = issues;
  if (first) throw badRequest('url_invalid', `${first.path}: ${first.message}`, { issues });
  if (urls.size <= MAX_TOKEN_LISTS) return;
  const message = `name more than ${MAX_TOKEN_LISTS} lists of token ids`;
  throw badRequest('token_list_limit_exceeded', `rules: ${message}`, {
    issues: [{ path: 'rules', message }],
  });
}

/** @throws AppError 400 that names the rules which this deployment is not configured for */
export function checkRuleTypes(
  rules: readonly TokenGatingRule[],
  services: RuleServices,
  formatPath: RulePathFormatter,
): void {
  const issues = collectIssues(rules, (rule, index) => {
    const problem = getRuleType(rule).findProblem?.(rule, services);
    return problem && { path: `${formatPath(index)}.${problem.field}`, message: problem.message };
  });
  const [first] = issues;
  if (first)
    throw badRequest('rule_not_supported', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}
