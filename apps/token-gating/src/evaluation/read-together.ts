import type { ReadOptions } from '@app/chain/evm';
import type { EvmChains } from '../chains/evm-chains.js';
import type { PlannedRule } from '../check-roles/plan-rules.js';
import type { Plan } from '../rules/rule-type.js';
import { NOT_GRANTED, type Verdict } from '../rules/verdict.js';
import { ChainReads } from './chain-reads.js';
import { SharedReads } from './shared-reads.js';

/**
 * Reads that travel together, unless one member alone needs more: ten full chunks. It bounds memory, and the time: reads
 * of the background lane go chunk after chunk, and all of them have the reader's ten seconds.
 */
const MOST_AT_ONCE = 5_000;

type Outcomes = Parameters<Plan['judge']>[0];

interface Waiting {
  readonly userId: string;
  readonly planned: readonly PlannedRule[];
}

/** Collects what members need and reads it together. What does not depend on the member is kept for those who follow. */
export class ReadTogether {
  /** By rule. */
  private readonly shared: (SharedReads | undefined)[];
  private waiting: Waiting[] = [];
  private own = 0;

  constructor(
    rules: number,
    private readonly chains: Pick<EvmChains, 'read'>,
    private readonly options: ReadOptions,
  ) {
    this.shared = new Array<SharedReads | undefined>(rules).fill(undefined);
  }

  hasRoomFor(planned: readonly PlannedRule[]): boolean {
    return this.own === 0 || this.own + ownReads(planned) <= MOST_AT_ONCE;
  }

  add(userId: string, planned: readonly PlannedRule[]): void {
    this.waiting.push({ userId, planned });
    this.own += ownReads(planned);
  }

  /** Reads for all who wait. @returns one verdict per rule for each of them, in order */
  async read(): Promise<{ userId: string; verdicts: Verdict[] }[]> {
    const members = this.waiting;
    this.waiting = [];
    this.own = 0;
    const byChain = new Map<number, ChainReads>();
    const readsOf = (chainId: number): ChainReads => {
      let reads = byChain.get(chainId);
      if (!reads) byChain.set(chainId, (reads = new ChainReads()));
      return reads;
    };
    const shared = this.askShared(members, readsOf);
    const takeOwn = members.map(({ planned }) =>
      planned.map(({ rule, plan }) => plan && readsOf(rule.chainId).ask(plan.reads.slice(plan.shared))),
    );
    await Promise.all(
      Array.from(byChain, ([chainId, reads]) =>
        reads.read((all) => this.chains.read(chainId, all, this.options)),
      ),
    );
    for (const reads of shared) reads.settle();
    return members.map(({ userId, planned }, member) => ({
      userId,
      verdicts: planned.map(({ plan }, rule) =>
        plan ? this.judge(plan, rule, takeOwn[member]?.[rule]?.() ?? []) : NOT_GRANTED,
      ),
    }));
  }

  private judge(plan: Plan, rule: number, own: Outcomes): Verdict {
    const shared = plan.shared > 0 ? this.shared[rule]?.outcomes : undefined;
    if (!shared) return plan.judge(own);
    // Judged as they are, not copied: they may be thousands, for each of a thousand members.
    return own.length === 0 ? plan.judge(shared, true) : plan.judge([...shared, ...own]);
  }

  /** What is the same for all members and not known yet. */
  private askShared(
    members: readonly Waiting[],
    readsOf: (chainId: number) => ChainReads,
  ): ReadonlySet<SharedReads> {
    const asked = new Set<SharedReads>();
    for (const { planned } of members)
      planned.forEach(({ rule, plan }, index) => {
        if (!plan || plan.shared === 0) return;
        const shared = (this.shared[index] ??= new SharedReads(plan.reads.slice(0, plan.shared)));
        if (asked.has(shared)) return;
        asked.add(shared);
        shared.askOpen((reads) => readsOf(rule.chainId).ask(reads));
      });
    return asked;
  }
}

const ownReads = (planned: readonly PlannedRule[]): number =>
  planned.reduce((sum, { plan }) => sum + (plan ? plan.reads.length - plan.shared : 0), 0);
