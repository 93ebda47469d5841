import type { ReadResult, ContractRead } from '@app/chain/evm';
import type { ReadValue } from '../../rules/rule-type.js';

type Outcomes = readonly ReadResult<ReadValue>[];

/** Reads of one chain that several ask for and that are made together. */
export class ChainReadBatch {
  private readonly reads: ContractRead<ReadValue>[] = [];
  private outcomes: Outcomes = [];

  /** @returns gives the outcomes, in order, once they were read */
  add(reads: readonly ContractRead<ReadValue>[]): () => Outcomes {
    const start = this.reads.length;
    for (const read of reads) this.reads.push(read);
    return () => this.outcomes.slice(start, start + reads.length);
  }

  async execute(from: (reads: readonly ContractRead<ReadValue>[]) => Promise<Outcomes>): Promise<void> {
    this.outcomes = await from(this.reads);
  }
}
