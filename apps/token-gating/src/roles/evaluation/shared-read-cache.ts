import type { ReadResult } from '@app/chain/evm';
import type { ChainRead } from '../../rules/chains/chain.service.js';
import type { ReadValue } from '../../rules/rule-type.js';

type Outcomes = readonly ReadResult<ReadValue>[];

/** Caches the reads of one rule that are equal for all members. Transient failures are read again. */
export class SharedReadCache {
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
