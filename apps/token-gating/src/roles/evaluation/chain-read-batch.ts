import type { ReadResult } from '@app/chain/evm';
import type { ChainRead } from '../../rules/chains/chain.service.js';
import type { ReadValue } from '../../rules/rule-type.js';

type Outcomes = readonly ReadResult<ReadValue>[];

/** Collects reads of one chain to execute them together. */
export class ChainReadBatch {
  private readonly reads: ChainRead<ReadValue>[] = [];
  private outcomes: Outcomes = [];

  /** @returns a function that gives the outcomes, in order, after `execute` */
  add(reads: readonly ChainRead<ReadValue>[]): () => Outcomes {
    const start = this.reads.length;
    for (const read of reads) this.reads.push(read);
    return () => this.outcomes.slice(start, start + reads.length);
  }

  async execute(readChain: (reads: readonly ChainRead<ReadValue>[]) => Promise<Outcomes>): Promise<void> {
    if (this.reads.length > 0) this.outcomes = await readChain(this.reads);
  }
}
