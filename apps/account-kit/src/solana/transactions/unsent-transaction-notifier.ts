import { randomUUID } from 'node:crypto';
import { InjectProducer, type Producer, solanaTransactionsQueue } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { createIdEnqueuer } from '../../states/create-id-enqueuer.js';

/** Wakes a worker, by a job, for transactions that the instance which signed them could not send: another one may reach a node. */
@Injectable()
export class UnsentTransactionNotifier {
  /** Wakes a worker, without waiting or failing. */
  readonly notify: (transactionId: string) => void;

  constructor(
    @InjectProducer(solanaTransactionsQueue) producer: Producer<typeof solanaTransactionsQueue>,
    { logger }: ServiceContext,
  ) {
    this.notify = createIdEnqueuer(logger, (transactionIds) =>
      producer.enqueue({ version: 1, id: randomUUID(), transactionIds }),
    );
  }
}
