import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { InjectProducer, type Producer, userOperationsQueue } from '@app/queues';
import { ServiceContext } from '@app/service';
import { createIdEnqueuer } from '../../states/create-id-enqueuer.js';

/** Wakes the executors of this instance. To be notified after the transaction that wrote `signed` has committed. */
@Injectable()
export class SignedOperationsSignal extends WakeUpSignal {
  private readonly chainSignals = new Map<number, WakeUpSignal>();

  /** The signal of one chain, on which the worker of the chain waits. */
  getChainSignal(chainId: number): WakeUpSignal {
    const signal = this.chainSignals.get(chainId) ?? new WakeUpSignal();
    this.chainSignals.set(chainId, signal);
    return signal;
  }

  override notify(): void {
    for (const signal of this.chainSignals.values()) signal.notify();
  }
}

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
