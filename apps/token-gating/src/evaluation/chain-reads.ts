import type { Outcome, Read } from '@app/chain/evm';
import type { ReadValue } from '../rules/rule-type.js';

type Outcomes = readonly Outcome<ReadValue>[];

/** Reads of one chain that several ask for and that are made together. */
export class ChainReads {
  private readonly reads: Read<ReadValue>[] = [];
  private outcomes: Outcomes = [];

  /** @returns gives the outcomes, in order, once they were read */
  ask(reads: readonly Read<ReadValue>[]): () => Outcomes {
    const start = this.reads.length;
    for (const read of reads) this.reads.push(read);
    return () => this.outcomes.slice(start, start + reads.length);
  }

  async read(from: (reads: readonly Read<ReadValue>[]) => Promise<Outcomes>): Promise<void> {
    this.outcomes = await from(this.reads);
  }
}
