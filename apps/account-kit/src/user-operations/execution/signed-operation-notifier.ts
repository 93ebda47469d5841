import { randomUUID } from 'node:crypto';
import { InjectProducer, type Producer, userOperationsQueue } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { createIdEnqueuer } from '../../states/create-id-enqueuer.js';
import { SignedOperationsSignal } from './signed-operations-signal.js';

/** Wakes who sends a signed operation: the worker of this instance at once, that of another one by a job. */
@Injectable()
export class SignedOperationNotifier {
  private readonly enqueue: (id: string) => void;

  constructor(
    private readonly signal: SignedOperationsSignal,
    @InjectProducer(userOperationsQueue) producer: Producer<typeof userOperationsQueue>,
    { logger }: ServiceContext,
  ) {
    this.enqueue = createIdEnqueuer(logger, (operationIds) =>
      producer.enqueue({ version: 1, id: randomUUID(), operationIds }),
    );
  }

  /** Wakes the worker. Call it after the transaction that wrote `signed` has committed; it neither waits nor fails. */
  notify(operationId: string): void {
    this.signal.notify();
    this.enqueue(operationId);
  }
}
