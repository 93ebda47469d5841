import type { ReadResult } from '@app/chain/evm';
import type { ChainRead, ChainReadOptions, ChainService } from '../rules/chains/chain.service.js';
import type { NamedAccountCheck } from '../rules/named-account-check.js';
import { getReadChainId, isNextStep, type ReadValue } from '../rules/rule-type.js';
import { finishPlans, type RoundOptions } from '../rules/rounds/finish-plans.js';
import { listParts, type StartedPlan, startPlan } from '../rules/rounds/running-plan.js';
import { NOT_GRANTED, type Verdict } from '../rules/verdict.js';
import type { PlannedRule } from './plan-rules.js';

/**
 * Judges rules: a verdict for each, in order, without a promise where no rule needs a further step.
 * @param createOptions called only if one does
 */
export function judgeRules(
  planned: readonly PlannedRule[],
  outcomes: readonly PlanOutcomes[],
  createOptions: () => RoundOptions,
): Verdict[] | Promise<Verdict[]> {
  const unfinished: { readonly index: number; readonly started: StartedPlan }[] = [];
  const verdicts = planned.map(({ rule, plan }, index): Verdict => {
    const results = outcomes[index] ?? [];
    if (!plan) return NOT_GRANTED;
    const judgement = plan.judge(results);
    if (!isNextStep(judgement)) return judgement;
    unfinished.push({ index, started: startPlan(getReadChainId(rule), plan, results) });
    return NOT_GRANTED;
  });
  if (unfinished.length === 0) return verdicts;
  return finishPlans(
    unfinished.map(({ started }) => started),
    createOptions(),
  ).then((finished) => {
    unfinished.forEach(({ index }, at) => {
      const verdict = finished[at];
      if (verdict) verdicts[index] = verdict;
    });
    return verdicts;
  });
}

export type PlanOutcomes = readonly ReadResult<ReadValue>[];

interface ChainReads {
  readonly reads: ChainRead<ReadValue>[];
  /** The place of each rule's outcomes in the reads of its chain. */
  readonly slices: {
    readonly rule: number;
    readonly part: number;
    readonly start: number;
    readonly end: number;
  }[];
}

/**
 * Reads each chain once for all rules, with the code of the account where it decides whether the account counts.
 * @returns one list of outcomes per rule, in the order of the rules
 */
export async function readPlans(
  planned: readonly PlannedRule[],
  chains: Pick<ChainService, 'read'>,
  options: ChainReadOptions,
  named?: NamedAccountCheck,
): Promise<PlanOutcomes[]> {
  const outcomes = planned.map((): PlanOutcomes[] => []);
  const byChain = groupByChain(planned);
  const codeChains = new Set(named?.listUnreadChains(byChain.keys()));
  for (const chainId of codeChains)
    if (!byChain.has(chainId)) byChain.set(chainId, { reads: [], slices: [] });
  const readChain = async ([chainId, { reads, slices }]: [number, ChainReads]): Promise<void> => {
    const codeReads = named && codeChains.has(chainId) ? [named.codeRead] : [];
    const results = await chains.read<ReadValue>(chainId, [...reads, ...codeReads], options);
    // The result of a code read is a boolean.
    if (codeReads.length > 0) named?.record(chainId, results[reads.length] as ReadResult<boolean>);
    for (const { rule, part, start, end } of slices) {
      const ofRule = outcomes[rule];
      if (ofRule) ofRule[part] = results.slice(start, end);
    }
  };
  await Promise.all(Array.from(byChain, readChain));
  return outcomes.map((parts) => (parts.length > 1 ? parts.flat() : (parts[0] ?? [])));
}

function groupByChain(planned: readonly PlannedRule[]): Map<number, ChainReads> {
  const byChain = new Map<number, ChainReads>();
  planned.forEach(({ rule, plan }, index) => {
    if (!plan || plan.reads.length === 0) return;
    listParts(plan, getReadChainId(rule)).forEach(({ chainId, start: first, end: last }, part) => {
      let chain = byChain.get(chainId);
      if (!chain) byChain.set(chainId, (chain = { reads: [], slices: [] }));
      const start = chain.reads.length;
      for (let at = first; at < last; at += 1) {
        const read = plan.reads[at];
        if (read) chain.reads.push(read);
      }
      chain.slices.push({ rule: index, part, start, end: chain.reads.length });
    });
  });
  return byChain;
}
