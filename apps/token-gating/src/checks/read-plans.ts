import type { ReadResult } from '@app/chain/evm';
import type { ChainRead, ChainReadOptions, ChainService } from '../rules/chains/chain.service.js';
import { getReadChainId } from '../rules/get-read-chain-id.js';
import type { ReadValue } from '../rules/rule-type.js';
import type { PlannedRule } from './plan-rules.js';

export type PlanOutcomes = readonly ReadResult<ReadValue>[];

interface ChainReads {
  readonly reads: ChainRead<ReadValue>[];
  /** Position of each rule's reads. */
  readonly slices: { readonly rule: number; readonly start: number; readonly end: number }[];
}

/** Reads each chain once for all rules. @returns one list of outcomes per rule, in the order of the rules */
export async function readPlans(
  planned: readonly PlannedRule[],
  chains: Pick<ChainService, 'read'>,
  options: ChainReadOptions,
): Promise<PlanOutcomes[]> {
  const outcomes = planned.map((): PlanOutcomes => []);
  const readChain = async ([chainId, { reads, slices }]: [number, ChainReads]): Promise<void> => {
    const results = await chains.read(chainId, reads, options);
    for (const { rule, start, end } of slices) outcomes[rule] = results.slice(start, end);
  };
  await Promise.all(Array.from(groupByChain(planned), readChain));
  return outcomes;
}

function groupByChain(planned: readonly PlannedRule[]): Map<number, ChainReads> {
  const byChain = new Map<number, ChainReads>();
  planned.forEach(({ rule, plan }, index) => {
    if (!plan || plan.reads.length === 0) return;
    const chainId = getReadChainId(rule);
    let chain = byChain.get(chainId);
    if (!chain) byChain.set(chainId, (chain = { reads: [], slices: [] }));
    const start = chain.reads.length;
    for (const read of plan.reads) chain.reads.push(read);
    chain.slices.push({ rule: index, start, end: chain.reads.length });
  });
  return byChain;
}
