import { isTokenIdList, type TokenGatingRule, type TokenIdList, type TokenIds } from '@app/dto';

/** A rule whose token list, if any, is replaced by its ids. */
export type Resolved<R extends TokenGatingRule> = R extends { readonly type: 'ERC721' | 'ERC1155' }
  ? Omit<R, 'tokenId'> & { tokenId: Exclude<R['tokenId'], TokenIdList> }
  : R;

export type ResolvedRule = Resolved<TokenGatingRule>;

/** The token list of a rule; undefined when there is nothing to fetch. */
export function getTokenList(rule: TokenGatingRule): TokenIdList | undefined {
  if (rule.type !== 'ERC721' && rule.type !== 'ERC1155') return undefined;
  const { tokenId } = rule;
  return tokenId && isTokenIdList(tokenId) ? tokenId : undefined;
}

/** @param ids the ids of the rule's token list; undefined when it has none */
export function resolveTokenIds(rule: TokenGatingRule, ids: TokenIds | undefined): ResolvedRule {
  return ids ? ({ ...rule, tokenId: ids } as ResolvedRule) : (rule as ResolvedRule);
}
