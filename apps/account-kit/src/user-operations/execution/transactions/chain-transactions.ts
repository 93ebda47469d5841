import type { PublicClient } from 'viem';
import type { EvmClientService } from '../../../evm/nodes/evm-client.service.js';
import type { ExecutorLeases } from '../executor-leases.js';
import type { ExecutorTransactionRepository } from './executor-transaction.repository.js';
import type { WaitingTransaction } from './stored-transaction.js';
import type { TransactionTracker } from './transaction-tracker.js';

/** Transactions that wait to be mined, by executor; `unknown` for an executor that failed, which sends no others. */
export type PendingTransactions = ReadonlyMap<string, readonly WaitingTransaction[] | 'unknown'>;

/**
 * Follows the unfinished transactions of all executors of a chain, also of those whose instance is gone, and where a bundler sends the
 * operations of the chain by now: operations of an account wait as long as a transaction with another one of it is not settled.
 */
export class ChainTransactions {
  constructor(
    private readonly chainId: number,
    private readonly clients: EvmClientService,
    private readonly leases: ExecutorLeases,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly tracker: TransactionTracker,
    /** Set where a private relay gets the transactions, and not the nodes of the chain. */
    readonly sendClient: PublicClient | undefined,
  ) {}

  /** An executor that fails does not keep the others from being followed. */
  async track(keepFailure: (error: unknown) => void): Promise<PendingTransactions> {
    const { chainId, clients, leases, transactions, tracker } = this;
    await transactions.returnLeftOperations(chainId).catch(keepFailure);
    const pending = new Map<string, readonly WaitingTransaction[] | 'unknown'>();
    const executors = await transactions.findUnfinishedExecutors(chainId);
    if (executors.length === 0) return pending;
    const sender = this.sendClient ?? (await clients.getClient(chainId));
    for (const executor of executors)
      try {
        if (!(await leases.hold(executor))) continue;
        const node = await clients.pinNode(chainId);
        pending.set(executor, await tracker.track({ node, sender, lease: leases.toLease(executor) }));
      } catch (error) {
        pending.set(executor, 'unknown');
        keepFailure(error);
      }
    return pending;
  }
}
