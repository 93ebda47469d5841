import { randomUUID } from 'node:crypto';
import { ChainConfig } from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EvmClientService } from '../evm/nodes/evm-client.service.js';
import { BundleSender } from './bundles/bundle-sender.js';
import { OperationClaimRepository } from './bundles/operation-claim.repository.js';
import { ChainExecutorWorker } from './chain-executor.worker.js';
import { ExecutorChainsConfig, ExecutorConfig } from './executor.config.js';
import { CancellationService } from './dead-operations/cancellation.service.js';
import { DeadOperationTracker } from './dead-operations/dead-operation-tracker.js';
import { DeadOperationRepository } from './dead-operations/dead-operation.repository.js';
import { InclusionTracker } from './inclusion/inclusion-tracker.js';
import { TrackedOperationRepository } from './inclusion/tracked-operation.repository.js';
import { ChainLeaseRepository } from './leases/chain-lease.repository.js';
import { ExecutorLeases } from './leases/executor-leases.js';
import { SignerClient } from '../key-vault/signer-client.js';
import { SignedOperationsSignal } from './signed-operations-signal.js';
import { ExecutorTransactionRepository } from './transactions/executor-transaction.repository.js';
import { TransactionTracker } from './transactions/transaction-tracker.js';

/** Runs one worker for each chain, so that a chain whose node is slow does not delay others. */
@Injectable()
export class ExecutorWorkerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Holder of leases. An instance that starts again is another holder. */
  private readonly instanceId = randomUUID();
  private readonly workers: readonly ChainExecutorWorker[];

  constructor(
    private readonly config: ExecutorConfig,
    private readonly chains: ExecutorChainsConfig,
    private readonly localChain: ChainConfig,
    private readonly clients: EvmClientService,
    private readonly signer: SignerClient,
    private readonly leases: ChainLeaseRepository,
    private readonly claims: OperationClaimRepository,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly operations: TrackedOperationRepository,
    private readonly deadOperations: DeadOperationRepository,
    private readonly cancellations: CancellationService,
    private readonly signal: SignedOperationsSignal,
    private readonly context: ServiceContext,
  ) {
    this.workers = this.clients.chainIds
      .filter((chainId) => this.isServed(chainId))
      .map((chainId) => this.createWorker(chainId));
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.onApplicationBootstrap();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.beforeApplicationShutdown()));
  }

  /** A transaction of a rollup also pays for its bytes on another chain, which the fees of operations do not cover. */
  private isServed(chainId: number): boolean {
    const isServed = chainId === this.localChain.settings.LOCAL_CHAIN_ID || this.chains.hasGasModel(chainId);
    if (!isServed)
      this.context.logger.warn({ chainId }, 'executors do not send on a chain without EXECUTOR_GAS_MODEL');
    return isServed;
  }

  private createWorker(chainId: number): ChainExecutorWorker {
    const { config, clients, signer, transactions } = this;
    const logger = this.context.logger.child({ chainId });
    const confirmations = this.chains.getConfirmations(chainId);
    const tracker = new TransactionTracker(transactions, signer, logger, {
      confirmations,
      bumpBlocks: config.EXECUTOR_BUMP_BLOCKS,
    });
    const maxGas = BigInt(config.EXECUTOR_BUNDLE_GAS);
    return new ChainExecutorWorker({
      chainId,
      clients,
      signer,
      leases: new ExecutorLeases(this.leases, chainId, this.instanceId, config.EXECUTOR_LEASE_MS),
      transactions,
      tracker,
      bundles: new BundleSender(this.claims, transactions, tracker, signer, maxGas),
      inclusions: new InclusionTracker(this.operations, chainId, confirmations),
      deadOperations: new DeadOperationTracker(
        this.deadOperations,
        this.operations,
        this.cancellations,
        chainId,
        confirmations,
      ),
      signal: this.signal.getChainSignal(chainId),
      pollMs: config.EXECUTOR_POLL_MS,
      logger,
    });
  }
}
