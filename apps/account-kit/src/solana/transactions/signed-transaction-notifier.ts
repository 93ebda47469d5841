import { randomUUID } from 'node:crypto';
import { InjectProducer, type Producer, solanaTransactionsQueue } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { createIdEnqueuer } from '../../states/create-id-enqueuer.js';
import { TransactionSignal } from './transaction-signal.js';

/** Wakes who sends a signed transaction: the worker of this instance at once, that of another one by a job. */
@Injectable()
export class SignedTransactionNotifier {
  private readonly enqueue: (id: string) => void;

  constructor(
    private readonly signal: TransactionSignal,
    @InjectProducer(solanaTransactionsQueue) producer: Producer<typeof solanaTransactionsQueue>,
    { logger }: ServiceContext,
  ) {
    this.enqueue = createIdEnqueuer(logger, (transactionIds) =>
      producer.enqueue({ version: 1, id: randomUUID(), transactionIds }),
    );
  }

  /** To be called when `signed` is stored. Neither waits nor fails. */
  notify(transactionId: string): void {
    this.signal.notify();
    this.enqueue(transactionId);
  }
}
