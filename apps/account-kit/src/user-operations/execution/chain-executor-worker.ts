import { setTimeout as sleep } from 'node:timers/promises';
import { RowQueueWorker } from '@app/database';
import type { WakeUpSignal } from '@app/common';
import type { Logger } from 'pino';
import type { Address, PublicClient } from 'viem';
import { EMPTY_TRANSACTION_GAS } from '../../evm/estimation/gas-costs.js';
import type { EvmClientService } from '../../evm/nodes/evm-client.service.js';
import type { BundleSender } from './bundles/bundle-sender.js';
import type { ExecutorLeases } from './executor-leases.js';
import type { OperationStateRepository } from './operation-state.repository.js';
import type { OperationTrackers } from './operation-trackers.js';
import type { SignerClient } from '../../custody/signer-client.js';
import type { PendingBundle } from './bundles/simulate-bundle.js';
import type { ExecutorTransactionRepository } from './transactions/executor-transaction.repository.js';
import type { ChainTransactions } from './transactions/chain-transactions.js';
import type { WaitingTransaction } from './transactions/stored-transaction.js';

interface ChainExecutorParts {
  readonly chainId: number;
  readonly clients: EvmClientService;
  readonly signer: SignerClient;
  readonly leases: ExecutorLeases;
  readonly transactions: ChainTransactions;
  readonly executorTransactions: ExecutorTransactionRepository;
  readonly states: OperationStateRepository;
  readonly bundles: BundleSender;
  readonly operations: OperationTrackers;
  readonly signal: WakeUpSignal;
  readonly pollMs: number;
  readonly logger: Logger;
}

/** Operations that are signed in this time after a transaction share the next one, which makes each of them cheaper. */
const SEND_INTERVAL_MS = 250;

/** Does everything of one chain after an operation is signed: bundles, transactions, inclusions. One loop, so that no step overtakes another. */
export class ChainExecutorWorker extends RowQueueWorker {
  private executors: readonly Address[] | undefined;

  constructor(private readonly parts: ChainExecutorParts) {
    const { signal, pollMs, logger } = parts;
    super({ signal, pollMs, logger, failureMessage: 'executors failed; retrying at the next poll' });
  }

  get chainId(): number {
    return this.parts.chainId;
  }

  get inclusionLag(): bigint | undefined {
    return this.parts.operations.inclusionLag;
  }

  get isSending(): boolean {
    return this.parts.leases.isSending();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.parts.leases.releaseAll();
  }

  protected async work(): Promise<void> {
    const { chainId, clients, signer, leases, bundles, transactions, states, operations } = this.parts;
    const client = await clients.getClient(chainId);
    const failures: unknown[] = [];
    const keepFailure = (error: unknown): void => {
      failures.push(error);
    };
    await states.returnFromBundler(chainId).catch(keepFailure);
    const pending = await transactions.track(keepFailure);
    // Nothing that fails here keeps operations from being sent.
    await operations.track(keepFailure).catch(keepFailure);
    this.executors ??= await signer.executors();
    const isTroubled = (one: Address): boolean =>
      bundles.isTroubled(one) || (pending.get(one) ?? []) === 'unknown' || isBlocked(pending.get(one));
    const executor = await leases.holdPrimary(this.executors, isTroubled);
    const waiting = executor === undefined ? 'unknown' : (pending.get(executor) ?? []);
    const count =
      executor === undefined || waiting === 'unknown' ? 0 : await this.send(client, executor, waiting);
    if (failures.length > 0) throw failures[0];
    this.recordSuccess();
    if (count === 0) return;
    await operations.track(this.logFailure);
    await sleep(SEND_INTERVAL_MS);
  }

  private async send(
    client: PublicClient,
    executor: Address,
    waiting: readonly WaitingTransaction[],
  ): Promise<number> {
    const { chainId, clients, leases, bundles, executorTransactions, transactions } = this.parts;
    const lease = leases.toLease(executor);
    if (isBlocked(waiting) && (await executorTransactions.hasFreePeer(lease))) return 0;
    const sender = transactions.sendClient ?? (await clients.getClient(chainId));
    const pinNode = clients.pinNodeOnce(chainId);
    const holdLease = () => leases.hold(executor);
    return bundles.sendDue({ client, sender, lease, holdLease, pinNode }, waiting.map(toPendingBundle));
  }
}

/** Whether nodes refuse a transaction of the executor, behind which all later ones wait. */
const isBlocked = (waiting: readonly WaitingTransaction[] | 'unknown' | undefined): boolean =>
  waiting !== undefined &&
  waiting !== 'unknown' &&
  waiting.some(({ refusedSinceBlock }) => refusedSinceBlock !== null);

const toPendingBundle = ({
  entryPoint,
  data,
  gas,
  variants,
  refusedSinceBlock,
  isGivenUp,
}: WaitingTransaction): PendingBundle => {
  const newest = variants.at(-1);
  const newestGas = newest?.isEmpty === true ? EMPTY_TRANSACTION_GAS : gas;
  return {
    entryPoint,
    data,
    gas: newestGas,
    maxCost: newestGas * (newest?.maxFeePerGas ?? 0n),
    isCertain: refusedSinceBlock === null && !isGivenUp,
  };
};
