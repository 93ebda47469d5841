import type { WakeUpSignal } from '@app/common';
import { RowQueueWorker } from '@app/database';
import type { Logger } from 'pino';
import type { EvmClientService } from '../../../evm/nodes/evm-client.service.js';
import type { ExecutorLeases } from '../executor-leases.js';
import type { OperationTrackers } from '../operation-trackers.js';
import type { ChainTransactions } from '../transactions/chain-transactions.js';
import type { BundlerSender } from './bundler-sender.js';

interface ChainBundlerParts {
  readonly chainId: number;
  readonly clients: EvmClientService;
  readonly leases: ExecutorLeases;
  readonly sender: BundlerSender;
  /** Transactions of own executors, which sent the operations of the chain before it got a bundler. */
  readonly transactions: ChainTransactions;
  readonly operations: OperationTrackers;
  readonly signal: WakeUpSignal;
  readonly pollMs: number;
  readonly logger: Logger;
}

/** The sender that the instances compete for: a single instance at a time sends to the bundler. */
const BUNDLER = 'bundler';

/** Does everything of one chain after an operation is signed, where a bundler sends it. */
export class ChainBundlerWorker extends RowQueueWorker {
  constructor(private readonly parts: ChainBundlerParts) {
    const { signal, pollMs, logger } = parts;
    super({ signal, pollMs, logger, failureMessage: 'submission failed; retrying at the next poll' });
  }

  get chainId(): number {
    return this.parts.chainId;
  }

  get inclusionLag(): bigint | undefined {
    return this.parts.operations.inclusionLag;
  }

  get isSending(): boolean {
    return this.parts.leases.isSending(BUNDLER);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.parts.leases.releaseAll();
  }

  protected async work(): Promise<void> {
    const { chainId, clients, leases, sender, transactions, operations } = this.parts;
    const client = await clients.getClient(chainId);
    const failures: unknown[] = [];
    const keepFailure = (error: unknown): void => {
      failures.push(error);
    };
    await transactions.track(keepFailure);
    // A bundler or a lease that is away keeps nothing from being followed.
    if (await leases.hold(BUNDLER)) await sender.sendDue(client, leases.toLease(BUNDLER)).catch(keepFailure);
    await operations.track(keepFailure).catch(keepFailure);
    if (failures.length > 0) throw failures[0];
    this.recordSuccess();
  }
}
