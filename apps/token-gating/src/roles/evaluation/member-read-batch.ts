import type { PlannedRule } from '../../checks/plan-rules.js';
import type { ChainReadOptions, ChainService } from '../../rules/chains/chain.service.js';
import type { ReadPlan } from '../../rules/rule-type.js';
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

/** Executes the reads of many members together. Caches reads that do not depend on the member across batches. */
export class MemberReadBatch {
  /** By index of the rule. */
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
      planned.map(
        ({ rule, plan }) => plan && getBatch(rule.chainId).add(plan.reads.slice(plan.sharedReadCount)),
      ),
    );
    await Promise.all(
      Array.from(byChain, ([chainId, batch]) =>
        batch.execute((reads) => this.chains.read(chainId, reads, this.options)),
      ),
    );
    for (const cache of shared) cache.storeOutcomes();
    return members.map(({ userId, planned }, member) => ({
      userId,
      verdicts: planned.map(({ plan }, rule) =>
        plan ? this.judge(plan, rule, takeOwn[member]?.[rule]?.() ?? []) : NOT_GRANTED,
      ),
    }));
  }

  private judge(plan: ReadPlan, rule: number, own: Outcomes): Verdict {
    const shared = plan.sharedReadCount > 0 ? this.sharedByRule[rule]?.outcomes : undefined;
    if (!shared) return plan.judge(own);
    // Passed without copying: a thousand members may share thousands of outcomes.
    return own.length === 0 ? plan.judge(shared, true) : plan.judge([...shared, ...own]);
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
        cache.requestMissing((reads) => getBatch(rule.chainId).add(reads));
      });
    return requested;
  }
}

const countOwnReads = (planned: readonly PlannedRule[]): number =>
  planned.reduce((sum, { plan }) => sum + (plan ? plan.reads.length - plan.sharedReadCount : 0), 0);
