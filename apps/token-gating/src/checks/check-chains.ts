import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import type { ChainService } from '../rules/chains/chain.service.js';
import { getReadChainId, readsChain } from '../rules/get-read-chain-id.js';
import { formatRulePath, type RulePathFormatter } from './rule-path.js';

const MAX_ISSUES = 50;

/** @throws AppError 400 that names the rules whose chain is unknown or has no node in this deployment */
export function checkChains(
  rules: readonly TokenGatingRule[],
  chains: Pick<ChainService, 'find'>,
  formatPath: RulePathFormatter = formatRulePath,
): void {
  const issues = rules.flatMap((rule, index) => {
    const message = readsChain(rule) ? findChainProblem(getReadChainId(rule), chains) : undefined;
    return message === undefined ? [] : [{ path: `${formatPath(index)}.chainId`, message }];
  });
  const [first] = issues;
  if (first)
    throw badRequest('chain_not_supported', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MAX_ISSUES),
    });
}

function findChainProblem(chainId: number, chains: Pick<ChainService, 'find'>): string | undefined {
  const chain = chains.find(chainId);
  if (!chain) return `${chainId} is not a known chain`;
  return chain.rpcUrls.length === 0 ? `${chainId} (${chain.name}) has no node in this deployment` : undefined;
}
