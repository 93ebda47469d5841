import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import { listOf } from '../rules/readable-rule.js';
import type { TokenLists } from '../token-lists/token-lists.js';
import { inOneList, type PlaceOf } from './place-of.js';

/** Different lists in one request: each may cost a connection and five seconds. */
export const MOST_LISTS = 20;

/** @throws AppError 400 that names every rule whose list may not be fetched */
export function checkTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenLists, 'refusalOf'>,
  placeOf: PlaceOf = inOneList,
): void {
  const urls = rules.map((rule) => listOf(rule)?.url);
  const issues = urls.flatMap((url, index) => {
    const message = url === undefined ? undefined : lists.refusalOf(url);
    return message === undefined ? [] : [{ path: `${placeOf(index)}.tokenId`, message }];
  });
  const [first] = issues;
  if (first) throw badRequest('url_not_allowed', `${first.path}: ${first.message}`, { issues });
  if (new Set(urls.filter((url) => url !== undefined)).size <= MOST_LISTS) return;
  const message = `name more than ${MOST_LISTS} lists of token ids`;
  throw badRequest('too_many_lists', `rules: ${message}`, { issues: [{ path: 'rules', message }] });
}
