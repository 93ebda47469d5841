import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import type { EvmChainService } from '../rules/chains/evm-chain.service.js';
import { formatRulePath, type RulePathFormatter } from './rule-path.js';

/** Enough to mend a request by. */
const MOST_ISSUES = 50;

/** @throws AppError 400 that names every rule whose chain is not known, or known and without a node to ask. */
export function checkChains(
  rules: readonly TokenGatingRule[],
  chains: Pick<EvmChainService, 'find'>,
  placeOf: RulePathFormatter = formatRulePath,
): void {
  const issues = rules.flatMap(({ chainId }, index) => {
    const message = faultOf(chainId, chains);
    return message === undefined ? [] : [{ path: `${placeOf(index)}.chainId`, message }];
  });
  const [first] = issues;
  if (first)
    throw badRequest('chain_not_supported', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MOST_ISSUES),
    });
}

function faultOf(chainId: number, chains: Pick<EvmChainService, 'find'>): string | undefined {
  const chain = chains.find(chainId);
  if (!chain) return `${chainId} is not a known chain`;
  return chain.rpcUrls.length === 0 ? `${chainId} (${chain.name}) has no node in this deployment` : undefined;
}
