import type { ReadOptions } from '@app/chain/evm';
import type { EvmChainService } from '../../rules/chains/evm-chain.service.js';
import type { PlannedRule } from '../../checks/plan-rules.js';
import type { ReadPlan } from '../../rules/rule-type.js';
import { NOT_GRANTED, type Verdict } from '../../rules/verdict.js';
import { ChainReadBatch } from './chain-read-batch.js';
import { SharedReadCache } from './shared-read-cache.js';

/**
 * Reads that travel together, unless one member alone needs more: ten full chunks. It bounds memory, and the time: reads
 * of the background lane go chunk after chunk, and all of them have the reader's ten seconds.
 */
const MAX_READS_PER_BATCH = 5_000;

type Outcomes = Parameters<ReadPlan['judge']>[0];

interface PendingMember {
  readonly userId: string;
  readonly planned: readonly PlannedRule[];
}

/** Collects what members need and reads it together. What does not depend on the member is kept for those who follow. */
export class MemberReadBatch {
  /** By rule. */
  private readonly shared: (SharedReadCache | undefined)[];
  private waiting: PendingMember[] = [];
  private own = 0;

  constructor(
    rules: number,
    private readonly chains: Pick<EvmChainService, 'read'>,
    private readonly options: ReadOptions,
  ) {
    this.shared = new Array<SharedReadCache | undefined>(rules).fill(undefined);
  }

  canAdd(planned: readonly PlannedRule[]): boolean {
    return this.own === 0 || this.own + countOwnReads(planned) <= MAX_READS_PER_BATCH;
  }

  add(userId: string, planned: readonly PlannedRule[]): void {
    this.waiting.push({ userId, planned });
    this.own += countOwnReads(planned);
  }

  /** Reads for all who wait. @returns one verdict per rule for each of them, in order */
  async flush(): Promise<{ userId: string; verdicts: Verdict[] }[]> {
    const members = this.waiting;
    this.waiting = [];
    this.own = 0;
    const byChain = new Map<number, ChainReadBatch>();
    const readsOf = (chainId: number): ChainReadBatch => {
      let reads = byChain.get(chainId);
      if (!reads) byChain.set(chainId, (reads = new ChainReadBatch()));
      return reads;
    };
    const shared = this.askShared(members, readsOf);
    const takeOwn = members.map(({ planned }) =>
      planned.map(
        ({ rule, plan }) => plan && readsOf(rule.chainId).add(plan.reads.slice(plan.sharedReadCount)),
      ),
    );
    await Promise.all(
      Array.from(byChain, ([chainId, reads]) =>
        reads.execute((all) => this.chains.read(chainId, all, this.options)),
      ),
    );
    for (const reads of shared) reads.storeOutcomes();
    return members.map(({ userId, planned }, member) => ({
      userId,
      verdicts: planned.map(({ plan }, rule) =>
        plan ? this.judge(plan, rule, takeOwn[member]?.[rule]?.() ?? []) : NOT_GRANTED,
      ),
    }));
  }

  private judge(plan: ReadPlan, rule: number, own: Outcomes): Verdict {
    const shared = plan.sharedReadCount > 0 ? this.shared[rule]?.outcomes : undefined;
    if (!shared) return plan.judge(own);
    // Judged as they are, not copied: they may be thousands, for each of a thousand members.
    return own.length === 0 ? plan.judge(shared, true) : plan.judge([...shared, ...own]);
  }

  /** What is the same for all members and not known yet. */
  private askShared(
    members: readonly PendingMember[],
    readsOf: (chainId: number) => ChainReadBatch,
  ): ReadonlySet<SharedReadCache> {
    const asked = new Set<SharedReadCache>();
    for (const { planned } of members)
      planned.forEach(({ rule, plan }, index) => {
        if (!plan || plan.sharedReadCount === 0) return;
        const shared = (this.shared[index] ??= new SharedReadCache(
          plan.reads.slice(0, plan.sharedReadCount),
        ));
        if (asked.has(shared)) return;
        asked.add(shared);
        shared.requestMissing((reads) => readsOf(rule.chainId).add(reads));
      });
    return asked;
  }
}

const countOwnReads = (planned: readonly PlannedRule[]): number =>
  planned.reduce((sum, { plan }) => sum + (plan ? plan.reads.length - plan.sharedReadCount : 0), 0);
