import type { ReadResult, ContractRead } from '@app/chain/evm';
import type { ReadValue } from '../../rules/rule-type.js';

type Outcomes = readonly ReadResult<ReadValue>[];

/** The reads of one rule that are the same whoever it is planned for. What was told of them for good is not read again. */
export class SharedReadCache {
  private known: Outcomes = [];
  /** Where in `reads` those stand that are to be read. */
  private open: readonly number[];
  private take: () => Outcomes = () => [];

  constructor(private readonly reads: readonly ContractRead<ReadValue>[]) {
    this.open = Array.from(reads.keys());
  }

  /** @param ask has reads made, and gives their outcomes, in order, once they are */
  requestMissing(ask: (reads: readonly ContractRead<ReadValue>[]) => () => Outcomes): void {
    if (this.open.length === 0) return;
    this.take = ask(this.open.flatMap((at) => this.reads[at] ?? []));
  }

  /** Once what was asked is read. */
  storeOutcomes(): void {
    if (this.open.length === 0) return;
    const known = [...this.known];
    const told = this.take();
    this.take = () => [];
    this.open.forEach((at, index) => {
      const outcome = told[index];
      if (outcome) known[at] = outcome;
    });
    this.known = known;
    this.open = this.open.filter((at) => !isPermanentOutcome(known[at]));
  }

  /** The same list for as long as nothing in it changes. */
  get outcomes(): Outcomes {
    return this.known;
  }
}

/** What failed and may not fail next time is asked again for the members who follow. */
const isPermanentOutcome = (outcome: ReadResult<ReadValue> | undefined): boolean =>
  outcome !== undefined && (outcome.ok || outcome.permanent);
