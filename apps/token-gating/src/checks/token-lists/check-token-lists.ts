import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import { getTokenList } from '../../rules/resolved-rule.js';
import type { TokenListService } from './token-list.service.js';
import { formatRulePath, type RulePathFormatter } from '../rule-path.js';

/** Maximum distinct lists of one request. Each may cost a connection and five seconds. */
export const MAX_TOKEN_LISTS = 20;

/** @throws AppError 400 that names every rule whose list URL is not allowed */
export function checkTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenListService, 'getBlockReason'>,
  formatPath: RulePathFormatter = formatRulePath,
): void {
  const urls = rules.map((rule) => getTokenList(rule)?.url);
  const issues = urls.flatMap((url, index) => {
    const message = url === undefined ? undefined : lists.getBlockReason(url);
    return message === undefined ? [] : [{ path: `${formatPath(index)}.tokenId`, message }];
  });
  const [first] = issues;
  if (first) throw badRequest('url_invalid', `${first.path}: ${first.message}`, { issues });
  if (new Set(urls.filter((url) => url !== undefined)).size <= MAX_TOKEN_LISTS) return;
  const message = `name more than ${MAX_TOKEN_LISTS} lists of token ids`;
  throw badRequest('token_list_limit_exceeded', `rules: ${message}`, {
    issues: [{ path: 'rules', message }],
  });
}
