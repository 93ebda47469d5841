import type { WakeUpSignal } from '@app/common';
import { RowQueueWorker } from '@app/database';
import { ServiceContext } from '@app/service';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type SolanaNetwork, solanaNetwork } from '../messages/solana-network.js';
import { FinishTransactionsService } from './finish-transactions.service.js';
import { type Settled, SettleTransactionsService } from './settle-transactions.service.js';
import type { FoundStatus } from './settlement-turn.js';
import { SolanaTransactionRepository } from './solana-transaction.repository.js';
import { TransactionSignal } from './transaction-signal.js';

/** Transactions of one claim: a node tells the statuses of at most 256 signatures a call. */
const MAX_CLAIM = 200;
/** Transactions are sent again, and their statuses read, at this interval: about five slots. */
const ATTEMPT_INTERVAL_MS = 2_000;
const POLL_MS = 1_000;

/** Runs one worker for each network, so that a network whose nodes are away or slow does not hold up the others. */
@Injectable()
export class TransactionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly workers: readonly NetworkTransactionWorker[];

  constructor(
    transactions: SolanaTransactionRepository,
    settling: SettleTransactionsService,
    finishing: FinishTransactionsService,
    signal: TransactionSignal,
    context: ServiceContext,
  ) {
    this.workers = solanaNetwork.options.map(
      (network) =>
        new NetworkTransactionWorker(
          network,
          { transactions, settling, finishing, signal: signal.getNetworkSignal(network) },
          context,
        ),
    );
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.onApplicationBootstrap();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.beforeApplicationShutdown()));
  }
}

interface NetworkParts {
  readonly transactions: SolanaTransactionRepository;
  readonly settling: SettleTransactionsService;
  readonly finishing: FinishTransactionsService;
  readonly signal: WakeUpSignal;
}

/** Sends and follows transactions of one network until they are final or expired. Instances share the work by claiming rows. */
class NetworkTransactionWorker extends RowQueueWorker {
  /** Transactions whose last state is to be found, by id. */
  private readonly late = new Map<string, FoundStatus>();
  private finalizedHeight: bigint | undefined;
  private finishing: Promise<void> | undefined;

  constructor(
    private readonly network: SolanaNetwork,
    private readonly parts: NetworkParts,
    context: ServiceContext,
  ) {
    super({
      signal: parts.signal,
      pollMs: POLL_MS,
      logger: context.logger.child({ network }),
      failureMessage: 'following Solana transactions failed; retrying at the next poll',
    });
    context.readiness.onDrain(() => {
      this.stop();
    });
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.finishing;
  }

  protected async work(): Promise<void> {
    const { transactions, settling, signal } = this.parts;
    const claimed = await transactions.claim(this.network, MAX_CLAIM, ATTEMPT_INTERVAL_MS);
    const settled = await settling.settle(this.network, claimed);
    this.finishSoon(settled);
    if (settled.heightFailure !== undefined) throw settled.heightFailure;
    this.recordSuccess();
    if (claimed.length === MAX_CLAIM) signal.notify();
  }

  /** Does not wait, so that transactions go on being sent while the last states of others are found. */
  private finishSoon({ late, finalizedHeight }: Settled): void {
    for (const one of late) this.late.set(one.transaction.id, one);
    this.finalizedHeight = finalizedHeight ?? this.finalizedHeight;
    this.finishing ??= this.finishAll().finally(() => (this.finishing = undefined));
  }

  private async finishAll(): Promise<void> {
    while (this.late.size > 0 && !this.stopped) {
      const late = [...this.late.values()];
      try {
        const { finalizedHeight } = this;
        for (const id of await this.parts.finishing.finish(this.network, { late, finalizedHeight }))
          this.late.delete(id);
      } catch (error) {
        // What is not finished is claimed again.
        this.late.clear();
        this.logFailure(error);
      }
    }
  }
}
