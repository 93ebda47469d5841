import type { PlannedRule } from '../../checks/evaluate-rules.js';
import type { ChainReadOptions, ChainService, ChainRead } from '../../rules/chains/chain.service.js';
import { finishPlans } from '../../rules/rounds/finish-plans.js';
import { listParts, type StartedPlan, startPlan } from '../../rules/rounds/running-plan.js';
import { getReadChainId, isNextStep, type ReadPlan, type ReadValue } from '../../rules/rule-type.js';
import { NOT_GRANTED, type Verdict } from '../../rules/verdict.js';
import type { ReadResult } from '@app/chain/evm';

type Outcomes = readonly ReadResult<ReadValue>[];

/** Collects reads of one chain to execute them together. */
class ChainReadBatch {
  private readonly reads: ChainRead<ReadValue>[] = [];
  private outcomes: Outcomes = [];

  /** @returns a function that gives the outcomes, in order, after `execute` */
  add(reads: readonly ChainRead<ReadValue>[]): () => Outcomes {
    const start = this.reads.length;
    for (const read of reads) this.reads.push(read);
    return () => this.outcomes.slice(start, start + reads.length);
  }

  async execute(readChain: (reads: readonly ChainRead<ReadValue>[]) => Promise<Outcomes>): Promise<void> {
    if (this.reads.length > 0) this.outcomes = await readChain(this.reads);
  }
}

/** Caches the reads of one rule that are equal for all members. Transient failures are read again. */
class SharedReadCache {
  private cached: Outcomes = [];
  /** Indexes in `reads` of those without a final outcome. */
  private missing: readonly number[];
  private takeOutcomes: () => Outcomes = () => [];

  constructor(private readonly reads: readonly ChainRead<ReadValue>[]) {
    this.missing = Array.from(reads.keys());
  }

  /** @param request schedules reads, and returns a function that gives their outcomes, in order, after execution */
  requestMissing(request: (reads: readonly ChainRead<ReadValue>[]) => () => Outcomes): void {
    if (this.missing.length === 0) return;
    this.takeOutcomes = request(this.missing.flatMap((index) => this.reads[index] ?? []));
  }

  /** Call it after the requested reads were executed. */
  storeOutcomes(): void {
    if (this.missing.length === 0) return;
    const cached = [...this.cached];
    const outcomes = this.takeOutcomes();
    this.takeOutcomes = () => [];
    this.missing.forEach((index, position) => {
      const outcome = outcomes[position];
      if (outcome) cached[index] = outcome;
    });
    this.cached = cached;
    this.missing = this.missing.filter((index) => !isFinal(cached[index]));
  }

  /** Returns the same array until an outcome changes. */
  get outcomes(): Outcomes {
    return this.cached;
  }
}

const isFinal = (outcome: ReadResult<ReadValue> | undefined): boolean =>
  outcome !== undefined && (outcome.ok || outcome.permanent);

/**
 * Ten Multicall chunks; exceeded only where one member needs more. Bounds memory and time: the background lane reads one
 * chunk after another, and all of them must finish within the reader's timeout of ten seconds.
 */
const MAX_READS_PER_BATCH = 5_000;

interface PendingMember {
  readonly userId: string;
  readonly planned: readonly PlannedRule[];
}

/** A rule that needs further steps for a member, by position in the batch. */
interface UnfinishedRule {
  readonly member: number;
  readonly rule: number;
  readonly started: StartedPlan;
}

/** Executes the reads of many members together. Caches reads that do not depend on the member across batches. */
export class MemberReadBatch {
  /** Caches of shared reads, by index of the rule. */
  private readonly sharedByRule: (SharedReadCache | undefined)[];
  private pending: PendingMember[] = [];
  private pendingReads = 0;

  constructor(
    ruleCount: number,
    private readonly chains: Pick<ChainService, 'read'>,
    private readonly options: ChainReadOptions,
  ) {
    this.sharedByRule = new Array<SharedReadCache | undefined>(ruleCount).fill(undefined);
  }

  canAdd(planned: readonly PlannedRule[]): boolean {
    return this.pendingReads === 0 || this.pendingReads + countOwnReads(planned) <= MAX_READS_PER_BATCH;
  }

  add(userId: string, planned: readonly PlannedRule[]): void {
    this.pending.push({ userId, planned });
    this.pendingReads += countOwnReads(planned);
  }

  /** Executes all pending reads. @returns one verdict per rule for each pending member, in order */
  async flush(): Promise<{ userId: string; verdicts: Verdict[] }[]> {
    const members = this.pending;
    this.pending = [];
    this.pendingReads = 0;
    const byChain = new Map<number, ChainReadBatch>();
    const getBatch = (chainId: number): ChainReadBatch => {
      let batch = byChain.get(chainId);
      if (!batch) byChain.set(chainId, (batch = new ChainReadBatch()));
      return batch;
    };
    const shared = this.requestShared(members, getBatch);
    const takeOwn = members.map(({ planned }) =>
      planned.map(({ rule, plan }) => plan && requestOwn(plan, getReadChainId(rule), getBatch)),
    );
    await Promise.all(
      Array.from(byChain, ([chainId, batch]) =>
        batch.execute((reads) => this.chains.read(chainId, reads, this.options)),
      ),
    );
    for (const cache of shared) cache.storeOutcomes();
    const unfinished: UnfinishedRule[] = [];
    const judged = members.map(({ userId, planned }, member) => {
      const verdicts = planned.map(({ rule: checked, plan }, rule): Verdict => {
        if (!plan) return NOT_GRANTED;
        const own = takeOwn[member]?.[rule]?.() ?? [];
        const outcomes = this.combineOutcomes(plan, rule, own);
        const judgement = plan.judge(outcomes, plan.sharedReadCount > 0 && own.length === 0);
        if (!isNextStep(judgement)) return judgement;
        unfinished.push({ member, rule, started: startPlan(getReadChainId(checked), plan, outcomes) });
        return NOT_GRANTED;
      });
      return { userId, verdicts };
    });
    if (unfinished.length > 0) await this.finish(judged, unfinished);
    return judged;
  }

  /** Replaces the verdicts of rules that need further steps, which the members take together. */
  private async finish(
    judged: readonly { readonly verdicts: Verdict[] }[],
    unfinished: readonly UnfinishedRule[],
  ): Promise<void> {
    const finished = await finishPlans(
      unfinished.map(({ started }) => started),
      { chains: this.chains, ...this.options },
    );
    unfinished.forEach(({ member, rule }, index) => {
      const verdict = finished[index];
      const verdicts = judged[member]?.verdicts;
      if (verdict && verdicts) verdicts[rule] = verdict;
    });
  }

  private combineOutcomes(plan: ReadPlan, rule: number, own: Outcomes): Outcomes {
    const shared = plan.sharedReadCount > 0 ? this.sharedByRule[rule]?.outcomes : undefined;
    if (!shared) return own;
    // Passed without copying: a thousand members may share thousands of outcomes.
    return own.length === 0 ? shared : [...shared, ...own];
  }

  /** Requests the shared reads that are not yet cached. @returns the caches to store outcomes in */
  private requestShared(
    members: readonly PendingMember[],
    getBatch: (chainId: number) => ChainReadBatch,
  ): ReadonlySet<SharedReadCache> {
    const requested = new Set<SharedReadCache>();
    for (const { planned } of members)
      planned.forEach(({ rule, plan }, index) => {
        if (!plan || plan.sharedReadCount === 0) return;
        const cache = (this.sharedByRule[index] ??= new SharedReadCache(
          plan.reads.slice(0, plan.sharedReadCount),
        ));
        if (requested.has(cache)) return;
        requested.add(cache);
        cache.requestMissing((reads) => getBatch(getReadChainId(rule)).add(reads));
      });
    return requested;
  }
}

/** Requests the reads that depend on the member. @returns a function that gives their outcomes, in order */
function requestOwn(
  plan: ReadPlan,
  chainId: number,
  getBatch: (chainId: number) => ChainReadBatch,
): () => Outcomes {
  const takeParts = listParts(plan, chainId).map((part) => {
    const start = Math.max(part.start, plan.sharedReadCount);
    return getBatch(part.chainId).add(plan.reads.slice(start, part.end));
  });
  const [takeOnly] = takeParts;
  return takeOnly && takeParts.length === 1 ? takeOnly : () => takeParts.flatMap((take) => take());
}

const countOwnReads = (planned: readonly PlannedRule[]): number =>
  planned.reduce((sum, { plan }) => sum + (plan ? plan.reads.length - plan.sharedReadCount : 0), 0);
