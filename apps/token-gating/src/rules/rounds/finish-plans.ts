import { CHECK_TIMEOUT_MS, type ReadResult } from '@app/chain/evm';
import { MetadataFetchBudget } from '../../metadata/metadata-failure.js';
import type { ChainRead, ChainReadOptions, ChainService } from '../chains/chain.service.js';
import { type ChainPart, isNextStep, type LoadStep, type ReadStep, type ReadValue } from '../rule-type.js';
import type { Verdict } from '../verdict.js';
import { RunningPlan, type StartedPlan } from './running-plan.js';

/** Reads of one round that are in progress together; exceeded only by a single rule. Bounds the memory. */
const MAX_READS_AT_ONCE = 5_000;
/** Steps outside the chain that run at the same time. */
const MAX_LOADS_AT_ONCE = 32;

interface PlanStep<Step> {
  readonly plan: RunningPlan;
  readonly step: Step;
}

export interface RoundOptions extends ChainReadOptions {
  readonly chains: Pick<ChainService, 'read'>;
}

/**
 * Takes plans whose first judgement is a next step to their verdicts, in order. The reads of all plans of the same chains
 * travel together, round by round. Reads take the tenant's share only while they are in progress, and fail when there is no room:
 * a plan that holds reads never waits for others.
 */
export async function finishPlans(plans: readonly StartedPlan[], options: RoundOptions): Promise<Verdict[]> {
  const verdicts = new Map<RunningPlan, Verdict>();
  const running = plans.map((plan) => new RunningPlan(plan));
  const requestBudget = new MetadataFetchBudget();
  for (let queue: readonly RunningPlan[] = running; queue.length > 0;) {
    const loads: PlanStep<LoadStep>[] = [];
    const byChains = groupBy(queue, ({ chainKey }) => chainKey);
    await Promise.all(
      Array.from(byChains.values(), (ofChains) => runReads(ofChains, { verdicts, loads, options })),
    );
    await runLoads(loads, options, requestBudget);
    // The reads after steps outside the chain travel together, too.
    queue = loads.map(({ plan }) => plan);
  }
  return running.map((plan) => {
    const verdict = verdicts.get(plan);
    if (!verdict) throw new Error('A plan has no verdict');
    return verdict;
  });
}

interface Round {
  readonly verdicts: Map<RunningPlan, Verdict>;
  readonly loads: PlanStep<LoadStep>[];
  readonly options: RoundOptions;
}

/** Reads round after round until every plan has its verdict or a step outside the chain. */
async function runReads(plans: readonly RunningPlan[], { verdicts, loads, options }: Round): Promise<void> {
  const queue = [...plans];
  while (queue.length > 0) {
    const reading: PlanStep<ReadStep>[] = [];
    let readCount = 0;
    while (readCount < MAX_READS_AT_ONCE) {
      const plan = queue.shift();
      if (!plan) break;
      const step = plan.takeNext();
      if (!isNextStep(step)) verdicts.set(plan, step);
      else if (step.kind === 'load') loads.push({ plan, step });
      else {
        reading.push({ plan, step });
        readCount += step.reads.length;
      }
    }
    await readSteps(reading, options);
    for (const { plan } of reading) queue.push(plan);
  }
}

/** The reads of one chain of a step. */
interface PartialStep {
  readonly reads: readonly ChainRead<ReadValue>[];
  readonly part: ChainPart;
  readonly block: bigint | undefined;
  /** Outcomes of the whole step, by position. */
  readonly outcomes: ReadResult<ReadValue>[];
}

async function readSteps(reading: readonly PlanStep<ReadStep>[], options: RoundOptions): Promise<void> {
  const partialSteps: PartialStep[] = [];
  const received = reading.map(({ plan, step }) => {
    const outcomes: ReadResult<ReadValue>[] = [];
    for (const part of plan.listParts(step))
      partialSteps.push({
        reads: step.reads,
        part,
        block: step.isUnpinned ? undefined : plan.getBlock(part.chainId),
        outcomes,
      });
    return outcomes;
  });
  const groups = groupBy(partialSteps, ({ part, block }) => `${part.chainId} ${block ?? 'newest'}`);
  await Promise.all(Array.from(groups.values(), (group) => readTogether(group, options)));
  reading.forEach(({ plan, step }, index) => {
    plan.receive(step, received[index] ?? []);
  });
}

/** @param steps of one chain and block */
async function readTogether(
  steps: readonly PartialStep[],
  { chains, ...options }: RoundOptions,
): Promise<void> {
  const [first] = steps;
  if (!first) return;
  const joined: ChainRead<ReadValue>[] = [];
  for (const { reads, part } of steps) {
    for (let at = part.start; at < part.end; at += 1) {
      const read = reads[at];
      if (read) joined.push(read);
    }
  }
  const results = await chains.read(first.part.chainId, joined, { ...options, block: first.block });
  let done = 0;
  for (const { part, outcomes } of steps) {
    for (let at = part.start; at < part.end; at += 1) {
      const result = results[done++];
      if (result) outcomes[at] = result;
    }
  }
}

async function runLoads(
  loads: readonly PlanStep<LoadStep>[],
  { signal = AbortSignal.timeout(CHECK_TIMEOUT_MS), tenantId, lane = 'foreground' }: RoundOptions,
  requestBudget: MetadataFetchBudget,
): Promise<void> {
  const readerLane = lane === 'limited' ? 'background' : lane;
  const rest = loads.values();
  const runNext = async (): Promise<void> => {
    for (const { plan, step } of rest) {
      // A balance check finishes the rules of many members together.
      const fetchBudget = readerLane === 'background' ? new MetadataFetchBudget() : requestBudget;
      plan.continueWith(await step.load({ signal, tenantId, lane: readerLane, fetchBudget }));
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_LOADS_AT_ONCE, loads.length) }, runNext));
}

function groupBy<Item, Key>(items: readonly Item[], getKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = getKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
