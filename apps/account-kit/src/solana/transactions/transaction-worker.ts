import { RowQueueWorker } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SettleTransactionsService } from './settle-transactions.service.js';
import { SolanaTransactionRepository } from './solana-transaction.repository.js';
import { TransactionSignal } from './transaction-signal.js';
import { solanaNetwork } from '../solana-network.js';

/** Of one claim; a node tells the statuses of 256 signatures at most. */
const MAX_CLAIM = 200;
/** Transactions are sent again, and their statuses read, at this interval: about five slots. */
const ATTEMPT_INTERVAL_MS = 2_000;
const POLL_MS = 1_000;

/** Sends and follows transactions until they are final or expired. Instances share the work by claiming rows. */
@Injectable()
export class TransactionWorker extends RowQueueWorker {
  constructor(
    private readonly transactions: SolanaTransactionRepository,
    private readonly settling: SettleTransactionsService,
    private readonly signal: TransactionSignal,
    context: ServiceContext,
  ) {
    super({
      signal,
      pollMs: POLL_MS,
      logger: context.logger,
      failureMessage: 'following Solana transactions failed; retrying at the next poll',
    });
    context.readiness.onDrain(() => {
      this.stop();
    });
  }

  protected async work(): Promise<void> {
    const claimed = await this.transactions.claim(MAX_CLAIM, ATTEMPT_INTERVAL_MS);
    // A network whose nodes are away does not hold up the other.
    const outcomes = await Promise.allSettled(
      solanaNetwork.options.map((network) =>
        this.settling.settle(
          network,
          claimed.filter((transaction) => transaction.network === network),
        ),
      ),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    this.recordSuccess();
    if (claimed.length === MAX_CLAIM) this.signal.notify();
  }
}
