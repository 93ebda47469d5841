import { createBlockNumberRead, createReadFailure, type ReadResult } from '@app/chain/evm';
import { isSolanaChain } from '@app/dto';
import type { ChainRead } from '../chains/chain.service.js';
import { createReadStep } from '../create-read-plan.js';
import { isNextStep, type NextStep, type ReadPlan, type ReadStep, type ReadValue } from '../rule-type.js';
import { toUndetermined, type Verdict } from '../verdict.js';

type Outcomes = readonly ReadResult<ReadValue>[];
type Judgement = Verdict | NextStep;

/** A plan whose first reads were made. */
export interface StartedPlan {
  readonly chainId: number;
  /** The first reads whose block the further ones are pinned to. */
  readonly reads: readonly ChainRead<ReadValue>[];
  readonly outcomes: Outcomes;
  /** Judges outcomes of `reads`. */
  readonly judge: (outcomes: Outcomes) => Judgement;
}

/**
 * Shared reads do not depend on the addresses: they stay as they are, and the further reads are pinned to the others' block.
 * @param outcomes of all reads of the plan, shared ones first
 */
export function startPlan(chainId: number, plan: ReadPlan, outcomes: Outcomes): StartedPlan {
  const { reads, sharedReadCount } = plan;
  if (sharedReadCount === 0 || sharedReadCount === reads.length)
    return { chainId, reads, outcomes, judge: (results) => plan.judge(results) };
  const shared = outcomes.slice(0, sharedReadCount);
  return {
    chainId,
    reads: reads.slice(sharedReadCount),
    outcomes: outcomes.slice(sharedReadCount),
    judge: (own) => plan.judge([...shared, ...own]),
  };
}

/** Steps after which a rule type must have judged. A rule type without an end would read forever. */
const MAX_STEPS = 8;

/** One plan on its way from the first round to its verdict. */
export class RunningPlan {
  /** The block of the next reads. Unset: the newest one. */
  block: bigint | undefined;
  private isPinned = false;
  private hasRestarted = false;
  private steps = 0;
  private outcomes: Outcomes;
  private judgeNext: () => Judgement;
  private readonly firstReads: ReadStep;

  constructor(private readonly plan: StartedPlan) {
    const { reads, judge } = plan;
    this.outcomes = plan.outcomes;
    this.judgeNext = () => judge(this.outcomes);
    const judgeFirst = (outcomes: Outcomes): Judgement => {
      this.outcomes = outcomes;
      return judge(outcomes);
    };
    this.firstReads = { kind: 'read', reads, judge: judgeFirst };
  }

  get chainId(): number {
    return this.plan.chainId;
  }

  /** The verdict, or the next step. Judges only now, so that not all plans hold their next reads at the same time. */
  takeNext(): Judgement {
    const step = this.judgeNext();
    if (!isNextStep(step)) return step;
    this.steps += 1;
    if (this.steps > MAX_STEPS) throw new Error(`A rule has more than ${MAX_STEPS} further steps`);
    return step.kind === 'read' && step !== this.firstReads && !this.isPinned ? this.pin(step) : step;
  }

  /** Continues with the outcomes of a step; once, if its block is gone, from the beginning. */
  receive({ judge }: ReadStep, outcomes: Outcomes): void {
    const isBlockGone = outcomes.some((outcome) => !outcome.ok && outcome.code === 'block_unavailable');
    if (isBlockGone && !this.hasRestarted) this.restart();
    else this.judgeNext = () => judge(outcomes);
  }

  continueWith(step: Judgement): void {
    this.judgeNext = () => step;
  }

  /**
   * Chooses the block of the further reads. The first ones are repeated there if they were made at different blocks: a token
   * that moved between two of the addresses would be counted twice.
   */
  private pin(step: ReadStep): ReadStep {
    this.isPinned = true;
    const succeeded = this.outcomes.filter((outcome) => outcome.ok);
    const blocks = succeeded.map(({ blockNumber }) => blockNumber);
    this.block = blocks.reduce(
      (newest, block) => ((block ?? -1n) > (newest ?? -1n) ? block : newest),
      undefined,
    );
    // Reads of Solana take place at this slot or a later one, so none has to be repeated.
    if (isSolanaChain(this.chainId)) return step;
    if (this.block === undefined) return this.readBlockNumber();
    const isUniform = blocks.every((block) => block === this.block);
    return isUniform ? step : this.firstReads;
  }

  /** Reads of quarantined contracts are made alone, and do not report their block. */
  private readBlockNumber(): ReadStep {
    return createReadStep([createBlockNumberRead()], ([head]) => {
      if (!head.ok) return toUndetermined(head);
      this.block = head.blockNumber;
      if (this.block !== undefined) return this.firstReads;
      return toUndetermined(createReadFailure('block_unavailable', 'the nodes do not report their block'));
    });
  }

  private restart(): void {
    this.hasRestarted = true;
    this.isPinned = false;
    this.block = undefined;
    this.steps = 0;
    this.continueWith(this.firstReads);
  }
}
