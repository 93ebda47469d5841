import { createBlockNumberRead, createReadFailure, type ReadFailure, type ReadResult } from '@app/chain/evm';
import { isSolanaChain } from '@app/dto';
import type { ChainRead } from '../chains/chain.service.js';
import { createMultiChainReadStep } from '../create-read-plan.js';
import {
  type ChainPart,
  isNextStep,
  type NextStep,
  type ReadPlan,
  type ReadStep,
  type ReadValue,
} from '../rule-type.js';
import type { Verdict } from '../verdict.js';

/** The reads of a plan or a step by chain, in order. @param chainId of the rule */
export const listParts = (
  { reads, parts }: Pick<ReadPlan, 'reads' | 'parts'>,
  chainId: number,
): readonly ChainPart[] => parts ?? [{ chainId, start: 0, end: reads.length }];

type Outcomes = readonly ReadResult<ReadValue>[];
type Judgement = Verdict | NextStep;

/** A plan whose first reads were made. */
export interface StartedPlan {
  readonly chainId: number;
  /** The first reads whose blocks the further ones are pinned to. */
  readonly reads: readonly ChainRead<ReadValue>[];
  /** All reads by chain, in order; undefined when they are of `chainId`. */
  readonly parts?: ReadPlan['parts'];
  readonly maxSteps?: ReadPlan['maxSteps'];
  readonly outcomes: Outcomes;
  /** Judges outcomes of `reads`. */
  readonly judge: (outcomes: Outcomes) => Judgement;
}

/**
 * Shared reads do not depend on the addresses: they stay as they are, and the further reads are pinned to the others' block.
 * @param outcomes of all reads of the plan, shared ones first
 */
export function startPlan(chainId: number, plan: ReadPlan, outcomes: Outcomes): StartedPlan {
  const { reads, parts, maxSteps, sharedReadCount } = plan;
  if (sharedReadCount === 0 || sharedReadCount === reads.length)
    return { chainId, reads, parts, maxSteps, outcomes, judge: (results) => plan.judge(results) };
  const shared = outcomes.slice(0, sharedReadCount);
  return {
    chainId,
    reads: reads.slice(sharedReadCount),
    maxSteps,
    outcomes: outcomes.slice(sharedReadCount),
    judge: (own) => plan.judge([...shared, ...own]),
  };
}

/** Steps after which a rule type must have judged. A rule type without an end would read forever. */
const MAX_STEPS = 8;

const NO_BLOCK = createReadFailure('block_unavailable', 'the nodes do not report their block');

/** A plan on its way from the first round to its verdict. */
export class RunningPlan {
  /** The chains of the plan: plans of the same chains take their rounds together. */
  readonly chainKey: string;
  /** The block of the next reads, by chain. Unset: the newest one. */
  private readonly blocks = new Map<number, bigint>();
  private isPinned = false;
  private hasRestarted = false;
  private steps = 0;
  private outcomes: Outcomes;
  private judgeNext: () => Judgement;
  private readonly firstParts: readonly ChainPart[];

  constructor(private readonly plan: StartedPlan) {
    this.outcomes = plan.outcomes;
    this.firstParts = listParts(plan, plan.chainId);
    this.chainKey = this.firstParts.map(({ chainId }) => chainId).join();
    this.judgeNext = () => plan.judge(this.outcomes);
  }

  /** The reads of a step by chain. */
  listParts(step: ReadStep): readonly ChainPart[] {
    return listParts(step, this.plan.chainId);
  }

  getBlock(chainId: number): bigint | undefined {
    return this.blocks.get(chainId);
  }

  /** The verdict, or the next step. Judges only now, so that not all plans hold their next reads at the same time. */
  takeNext(): Judgement {
    const step = this.judgeNext();
    if (!isNextStep(step)) return step;
    this.steps += 1;
    const { maxSteps = MAX_STEPS } = this.plan;
    if (this.steps > maxSteps) throw new Error(`A rule has more than ${maxSteps} further steps`);
    return step.kind === 'read' && !this.isPinned && !step.isUnpinned ? this.pin(step) : step;
  }

  /** Continues with the outcomes of a step; once, if one of its blocks is gone, from the beginning. */
  receive({ judge }: ReadStep, outcomes: Outcomes): void {
    const isBlockGone = outcomes.some((outcome) => !outcome.ok && outcome.code === 'block_unavailable');
    if (isBlockGone && !this.hasRestarted) this.restart();
    else this.judgeNext = () => judge(outcomes);
  }

  continueWith(step: Judgement): void {
    this.judgeNext = () => step;
  }

  /**
   * Chooses the blocks of the further reads. The first ones of a chain are repeated there if they were made at different
   * blocks: a token that moved between two of the addresses would be counted twice.
   */
  private pin(step: ReadStep): ReadStep {
    this.isPinned = true;
    const mixed: ChainPart[] = [];
    const withoutBlock: ChainPart[] = [];
    for (const part of this.firstParts) {
      const succeeded = this.outcomes.slice(part.start, part.end).filter((outcome) => outcome.ok);
      const blocks = succeeded.map(({ blockNumber }) => blockNumber);
      const newest = findNewest(blocks);
      if (newest !== undefined) this.blocks.set(part.chainId, newest);
      // Reads of Solana take place at this slot or a later one, so none has to be repeated.
      if (isSolanaChain(part.chainId) || succeeded.length === 0) continue;
      if (newest === undefined) withoutBlock.push(part);
      else if (blocks.some((block) => block !== newest)) mixed.push(part);
    }
    if (withoutBlock.length > 0) return this.readBlockNumbers(withoutBlock, mixed);
    return mixed.length > 0 ? this.repeat(mixed) : step;
  }

  /** Reads of quarantined contracts are made alone, and do not report their block. @param mixed repeated afterwards, too */
  private readBlockNumbers(parts: readonly ChainPart[], mixed: readonly ChainPart[]): ReadStep {
    const chains = parts.map(({ chainId }) => ({ chainId, reads: [createBlockNumberRead()] }));
    return createMultiChainReadStep(chains, (heads) => {
      const repeated = [...mixed];
      parts.forEach((part, index) => {
        const head = heads[index];
        if (head?.ok && head.blockNumber !== undefined) {
          this.blocks.set(part.chainId, head.blockNumber);
          repeated.push(part);
        } else this.discard(part, head && !head.ok ? head : NO_BLOCK);
      });
      return repeated.length > 0 ? this.repeat(repeated) : this.plan.judge(this.outcomes);
    });
  }

  /** Outcomes without a block may be older or newer than those that depend on them. */
  private discard({ start, end }: ChainPart, failure: ReadFailure): void {
    this.outcomes = this.outcomes.map((outcome, index) =>
      outcome.ok && index >= start && index < end ? failure : outcome,
    );
  }

  /** Makes the first reads of some chains again, at their blocks. */
  private repeat(parts: readonly ChainPart[]): ReadStep {
    const chains = parts.map(({ chainId, start, end }) => ({
      chainId,
      reads: this.plan.reads.slice(start, end),
    }));
    return createMultiChainReadStep(chains, (repeated) => {
      const outcomes = [...this.outcomes];
      let done = 0;
      for (const { start, end } of parts) {
        const length = end - start;
        outcomes.splice(start, length, ...repeated.slice(done, (done += length)));
      }
      this.outcomes = outcomes;
      return this.plan.judge(outcomes);
    });
  }

  private restart(): void {
    this.hasRestarted = true;
    this.blocks.clear();
    this.steps = 0;
    const { judge, ...step } = this.repeat(this.firstParts);
    this.continueWith({
      ...step,
      judge: (outcomes) => {
        // The blocks are chosen among these outcomes, not among those of before.
        this.isPinned = false;
        return judge(outcomes);
      },
    });
  }
}

const findNewest = (blocks: readonly (bigint | undefined)[]): bigint | undefined =>
  blocks.reduce((newest, block) => ((block ?? -1n) > (newest ?? -1n) ? block : newest), undefined);
