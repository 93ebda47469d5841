import { WakeUpSignal } from '@app/common';
import {
  Consumer,
  Consumes,
  InjectProducer,
  type Producer,
  type SolanaTransactionsJob,
  solanaTransactionsQueue,
} from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { createIdEnqueuer } from '../../states/create-id-enqueuer.js';
import type { SolanaNetwork } from '../messages/solana-network.js';

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

/** Wakes the workers of this instance when a transaction is signed. */
@Injectable()
export class TransactionSignal extends WakeUpSignal {
  private readonly signals = new Map<SolanaNetwork, WakeUpSignal>();

  /** The signal of one network, on which the worker of the network waits. */
  getNetworkSignal(network: SolanaNetwork): WakeUpSignal {
    const signal = this.signals.get(network) ?? new WakeUpSignal();
    this.signals.set(network, signal);
    return signal;
  }

  override notify(): void {
    for (const signal of this.signals.values()) signal.notify();
  }
}

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
