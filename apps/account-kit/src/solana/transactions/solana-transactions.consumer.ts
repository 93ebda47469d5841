import { Consumer, Consumes, solanaTransactionsQueue, type SolanaTransactionsJob } from '@app/queues';
import { TransactionSignal } from './transaction-signal.js';

const CONCURRENCY = 4;

/** Wakes the worker of this instance, which claims the rows that are due. Where another one was faster, there are none. */
@Consumes(solanaTransactionsQueue, { concurrency: CONCURRENCY })
export class SolanaTransactionsConsumer extends Consumer<SolanaTransactionsJob> {
  constructor(private readonly signal: TransactionSignal) {
    super();
  }

  handle(): Promise<void> {
    this.signal.notify();
    return Promise.resolve();
  }
}
