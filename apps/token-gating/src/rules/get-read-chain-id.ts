import type { TokenGatingRule } from '@app/dto';

/** The id of no chain. */
const NO_CHAIN = 0;

/** The chain that the reads of a rule are of; 0 for rules that read no chain, or several. */
export const getReadChainId = (rule: TokenGatingRule): number =>
  rule.type === 'OPEN_SEA' ? NO_CHAIN : (rule.chainId ?? NO_CHAIN);

export const readsChain = (rule: TokenGatingRule): boolean => getReadChainId(rule) !== NO_CHAIN;
