import { badRequest } from '@app/common';
import type { TokenGatingRule } from '@app/dto';
import type { EvmChains } from '../chains/evm-chains.js';

/** Enough to mend a request by. */
const MOST_ISSUES = 50;

/** @throws AppError 400 that names every rule whose chain is not known. */
export function checkChains(rules: readonly TokenGatingRule[], chains: Pick<EvmChains, 'find'>): void {
  const issues = rules.flatMap(({ chainId }, index) =>
    chains.find(chainId)
      ? []
      : [{ path: `rules.${index}.chainId`, message: `${chainId} is not a known chain` }],
  );
  const [first] = issues;
  if (first)
    throw badRequest('unknown_chain', `${first.path}: ${first.message}`, {
      issues: issues.slice(0, MOST_ISSUES),
    });
}
