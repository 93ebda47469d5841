import type { PlannedRule } from '../../checks/plan-rules.js';
import type { ChainReadOptions, ChainService } from '../../rules/chains/chain.service.js';
import { finishPlans } from '../../rules/rounds/finish-plans.js';
import { listParts, type StartedPlan, startPlan } from '../../rules/rounds/running-plan.js';
import { getReadChainId, isNextStep, type ReadPlan } from '../../rules/rule-type.js';
import { NOT_GRANTED, type Verdict } from '../../rules/verdict.js';
import { ChainReadBatch } from './chain-read-batch.js';
import { SharedReadCache } from './shared-read-cache.js';

/**
 * Ten Multicall chunks; exceeded only where one member needs more. Bounds memory and time: the background lane reads one
 * chunk after another, and all of them must finish within the reader's timeout of ten seconds.
 */
const MAX_READS_PER_BATCH = 5_000;

type Outcomes = Parameters<ReadPlan['judge']>[0];

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
