import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { EvmClientService } from '../../evm/nodes/evm-client.service.js';
import { toBoundedError } from '../../evm/nodes/evm.errors.js';
import { BundlerClientService } from './bundler/bundler-client.service.js';
import { BundlerSender } from './bundler/bundler-sender.js';
import { BundlerSubmissionRepository } from './bundler/bundler-submission.repository.js';
import { ChainBundlerWorker } from './bundler/chain-bundler-worker.js';
import { BundleFunds } from './bundles/bundle-funds.js';
import { BundleSender } from './bundles/bundle-sender.js';
import { OperationQueue } from './operation-queue.js';
import { ChainExecutorWorker } from './chain-executor-worker.js';
import { ExecutorChainsConfig, ExecutorConfig } from './executor.config.js';
import { CancellationService } from './dead-operations/cancellation.service.js';
import { LaneGapTracker } from './dead-operations/lane-gap-tracker.js';
import { LaneRepairTracker } from './dead-operations/lane-repair-tracker.js';
import { DeadOperationTracker } from './dead-operations/dead-operation-tracker.js';
import { EventLogReader } from './inclusion/event-log-reader.js';
import { InclusionTracker } from './inclusion/inclusion-tracker.js';
import { ChainLeaseRepository } from './chain-lease.repository.js';
import { ExecutorLeases } from './executor-leases.js';
import { OperationStateRepository } from './operation-state.repository.js';
import { OperationTrackers } from './operation-trackers.js';
import { SignerClient } from '../../custody/signer-client.js';
import { SignedOperationsSignal } from './signed-operations-signal.js';
import { ChainTransactions } from './transactions/chain-transactions.js';
import { ExecutorTransactionRepository } from './transactions/executor-transaction.repository.js';
import { TransactionMetrics } from './transactions/transaction-metrics.js';
import { TransactionTracker } from './transactions/transaction-tracker.js';
import { ChainConfig } from '@app/chain/evm';
import { createPublicClient, type PublicClient } from 'viem';
import { createNodeTransports, type NodeTransports } from '@app/chain/node-transports';
import {
  Consumer,
  Consumes,
  RetryLaterError,
  userOperationsQueue,
  type UserOperationsJob,
} from '@app/queues';
import type { Job } from 'bullmq';

/** Clients of private relays, to which transactions of executors are sent instead of to the nodes of their chain. */
@Injectable()
export class SendClientsService implements OnApplicationShutdown {
  private readonly transports: NodeTransports;
  private readonly clients = new Map<number, PublicClient>();

  constructor(
    private readonly chains: ExecutorChainsConfig,
    { settings }: ChainConfig,
  ) {
    this.transports = createNodeTransports({
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transports.close();
  }

  /** @returns undefined where transactions are sent to the nodes of the chain */
  getClient(chainId: number): PublicClient | undefined {
    const url = this.chains.getSendUrl(chainId);
    if (url === undefined) return undefined;
    const client =
      this.clients.get(chainId) ?? createPublicClient({ transport: this.transports.create(url) });
    this.clients.set(chainId, client);
    return client;
  }
}

const serializeError = (error: unknown): unknown => pino.stdSerializers.err(toBoundedError(error) as Error);

/** Runs one worker for each chain, so that a chain whose node is slow does not delay others. */
@Injectable()
export class ExecutorWorkerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Holder of leases. An instance that starts again is another holder. */
  private readonly instanceId = randomUUID();
  private readonly workers: readonly (ChainExecutorWorker | ChainBundlerWorker)[];

  constructor(
    private readonly config: ExecutorConfig,
    private readonly chains: ExecutorChainsConfig,
    private readonly clients: EvmClientService,
    private readonly signer: SignerClient,
    private readonly leases: ChainLeaseRepository,
    private readonly queue: OperationQueue,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    private readonly cancellations: CancellationService,
    private readonly submissions: BundlerSubmissionRepository,
    private readonly bundlers: BundlerClientService,
    private readonly funds: BundleFunds,
    private readonly sendClients: SendClientsService,
    private readonly metrics: TransactionMetrics,
    private readonly signal: SignedOperationsSignal,
    private readonly context: ServiceContext,
  ) {
    this.workers = this.clients.chainIds
      .filter((chainId) => this.isFollowed(chainId))
      .map((chainId) => this.createWorker(chainId));
  }

  /** Chains whose operations own executors send, instead of a bundler. */
  get executorChainIds(): readonly number[] {
    return this.workers
      .filter((worker) => worker instanceof ChainExecutorWorker)
      .map(({ chainId }) => chainId);
  }

  /** Whether this instance sends the operations of a chain; another one may do so as well. */
  isSending(chainId: number): boolean {
    return this.workers.some((worker) => worker.chainId === chainId && worker.isSending);
  }

  /** Blocks that the searches for included operations are behind, by chain; without chains of which another instance searches. */
  get inclusionLags(): ReadonlyMap<number, number> {
    return new Map(
      this.workers.flatMap(({ chainId, inclusionLag }) =>
        inclusionLag === undefined ? [] : [[chainId, Number(inclusionLag)] as const],
      ),
    );
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.onApplicationBootstrap();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.beforeApplicationShutdown()));
  }

  private isFollowed(chainId: number): boolean {
    if (!this.chains.isServed(chainId))
      this.context.logger.warn(
        { chainId },
        'user operations of a chain are refused: it needs BUNDLER_URL, or EXECUTOR_KEYS and EXECUTOR_GAS_MODEL',
      );
    return this.chains.isFollowed(chainId);
  }

  private createWorker(chainId: number): ChainExecutorWorker | ChainBundlerWorker {
    const { config, clients, signer, transactions, queue } = this;
    const logger = this.context.logger.child({ chainId }, { serializers: { err: serializeError } });
    const confirmations = this.chains.getConfirmations(chainId);
    const reader = new EventLogReader();
    const url = this.chains.getBundlerUrl(chainId);
    const leases = new ExecutorLeases(this.leases, chainId, this.instanceId, config.EXECUTOR_LEASE_MS);
    const operations = new OperationTrackers(
      chainId,
      clients,
      leases,
      new InclusionTracker(this.database, this.states, reader, logger, {
        chainId,
        confirmations,
        isAtBundler: url !== undefined,
      }),
      new DeadOperationTracker(this.database, this.states, reader, chainId, confirmations, logger),
      new LaneGapTracker(this.database, this.cancellations, chainId, logger),
      new LaneRepairTracker(
        this.database,
        this.cancellations,
        chainId,
        confirmations,
        url !== undefined,
        logger,
      ),
    );
    const shared = {
      chainId,
      clients,
      leases,
      operations,
      signal: this.signal.getChainSignal(chainId),
      pollMs: config.EXECUTOR_POLL_MS,
      logger,
    };
    const bumpBlocks = config.EXECUTOR_BUMP_BLOCKS;
    const fees = {
      maxFeePerGas: this.chains.getMaxFeePerGas(chainId),
      bumpLoss: this.chains.getBumpLoss(chainId),
      feeCap: this.chains.getTransactionFeeCap(chainId),
    };
    const settings = { ...fees, confirmations, bumpBlocks };
    const tracker = new TransactionTracker(transactions, signer, logger, this.metrics, settings);
    const { funds, submissions } = this;
    const chainTransactions = new ChainTransactions(
      chainId,
      clients,
      leases,
      transactions,
      tracker,
      this.sendClients.getClient(chainId),
    );
    const parts = { ...shared, transactions: chainTransactions };
    if (url !== undefined) {
      const sender = new BundlerSender(url, queue, submissions, this.bundlers, logger);
      return new ChainBundlerWorker({ ...parts, sender });
    }
    const bundleGas = config.EXECUTOR_BUNDLE_GAS;
    const bundles = new BundleSender(queue, transactions, tracker, signer, funds, { ...fees, bundleGas });
    return new ChainExecutorWorker({
      ...parts,
      signer,
      executorTransactions: transactions,
      states: this.states,
      bundles,
    });
  }
}

const CONCURRENCY = 4;
/** The pause before another instance tries, because this one does not send on the chain. */
const HAND_OVER_MS = 100;
/** After this time it may be that no instance sends, and this one tries to. */
const TAKE_OVER_AFTER_MS = 500;
/** After this time the instance that sends has polled the rows itself. */
const MAX_AGE_MS = 5_000;

/** Wakes the worker of the instance that sends. Idempotent: what is sent follows from the rows. */
@Consumes(userOperationsQueue, { concurrency: CONCURRENCY })
export class UserOperationsConsumer extends Consumer<UserOperationsJob> {
  constructor(
    private readonly queue: OperationQueue,
    private readonly workers: ExecutorWorkerService,
    private readonly signal: SignedOperationsSignal,
  ) {
    super();
  }

  async handle({ operationIds }: UserOperationsJob, job: Job): Promise<void> {
    const chainIds = await this.queue.findChainsOfDue(operationIds);
    const ageMs = Date.now() - job.timestamp;
    const others = chainIds.filter((chainId) => !this.workers.isSending(chainId));
    for (const chainId of chainIds)
      if (!others.includes(chainId) || ageMs > TAKE_OVER_AFTER_MS)
        this.signal.getChainSignal(chainId).notify();
    if (others.length > 0 && ageMs < MAX_AGE_MS) throw new RetryLaterError(HAND_OVER_MS);
  }
}
