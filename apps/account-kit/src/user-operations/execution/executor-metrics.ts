import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { PublicClient } from 'viem';
import { EvmClientService } from '../../evm/nodes/evm-client.service.js';
import { toBoundedError } from '../../evm/nodes/evm.errors.js';
import { SignerClient } from '../../custody/signer-client.js';
import { ExecutorWorkerService } from './executor-worker.service.js';
import { ExecutorConfig } from './executor.config.js';
import { countWaiting, loadOldestAges } from './operation-queue.queries.js';
import { loadHead, loadTransactionFees } from './transactions/transaction-fees.js';
import { ExecutorTransactionRepository } from './transactions/executor-transaction.repository.js';

/** Scrapes may come more often than nodes are to be asked. */
const BALANCE_AGE_MS = 30_000;

interface AffordableBundles {
  readonly executor: string;
  readonly count: number;
}

/** Metrics that show that operations are not sent: their age, and executors that run out of coins. */
@Injectable()
export class ExecutorMetrics {
  private readonly affordable = new Map<number, readonly AffordableBundles[]>();
  private loadedAt = -Infinity;
  private loading: Promise<void> | undefined;

  constructor(
    private readonly context: ServiceContext,
    private readonly config: ExecutorConfig,
    private readonly workers: ExecutorWorkerService,
    private readonly clients: EvmClientService,
    private readonly signer: SignerClient,
    database: Database,
    transactions: ExecutorTransactionRepository,
  ) {
    const registers = [context.metrics.registry];
    const { logger } = context;
    const loadAffordable = () => this.loadAffordable();
    new Gauge({
      name: 'account_kit_oldest_operation_seconds',
      help: 'Age of the oldest user operation that is in no block, by chain and state. Missing while the database is unavailable.',
      labelNames: ['chain', 'state'],
      registers,
      async collect() {
        this.reset();
        try {
          for (const { chainId, state, seconds } of await loadOldestAges(database))
            this.set({ chain: chainId, state }, seconds);
        } catch (error) {
          logger.debug({ err: error }, 'cannot load the ages of user operations');
        }
      },
    });
    new Gauge({
      name: 'account_kit_blocked_nonces',
      help: 'Transactions of executors that every node refuses, by chain. Missing while the database is unavailable.',
      labelNames: ['chain'],
      registers,
      async collect() {
        this.reset();
        try {
          for (const { chainId, count } of await transactions.countRefused())
            this.set({ chain: chainId }, count);
        } catch (error) {
          logger.debug({ err: error }, 'cannot count refused transactions');
        }
      },
    });
    new Gauge({
      name: 'account_kit_waiting_operations',
      help: 'User operations that were not sent yet for a reason, or that a bundler does not take, by chain and kind of reason. Missing while the database is unavailable.',
      labelNames: ['chain', 'reason'],
      registers,
      async collect() {
        this.reset();
        try {
          for (const { chainId, reason, count } of await countWaiting(database))
            this.set({ chain: chainId, reason }, count);
        } catch (error) {
          logger.debug({ err: error }, 'cannot count waiting user operations');
        }
      },
    });
    new Gauge({
      name: 'account_kit_inclusion_lag_blocks',
      help: 'Blocks that the search for included user operations is behind the newest one, by chain. Missing at instances that do not search.',
      labelNames: ['chain'],
      registers,
      collect() {
        this.reset();
        for (const [chain, blocks] of workers.inclusionLags) this.set({ chain }, blocks);
      },
    });
    new Gauge({
      name: 'account_kit_executor_affordable_bundles',
      help: 'Transactions of EXECUTOR_BUNDLE_GAS that an executor can pay for at the present fees, by chain. Missing while nodes are unavailable.',
      labelNames: ['chain', 'executor'],
      registers,
      async collect() {
        const chains = await loadAffordable();
        this.reset();
        for (const [chain, executors] of chains)
          for (const { executor, count } of executors) this.set({ chain, executor }, count);
      },
    });
  }

  private async loadAffordable(): Promise<ReadonlyMap<number, readonly AffordableBundles[]>> {
    if (performance.now() - this.loadedAt > BALANCE_AGE_MS) {
      this.loading ??= this.loadChains().finally(() => (this.loading = undefined));
      await this.loading;
    }
    return this.affordable;
  }

  private async loadChains(): Promise<void> {
    await Promise.all(
      this.workers.executorChainIds.map(async (chainId) => {
        try {
          this.affordable.set(chainId, await this.loadChain(await this.clients.getClient(chainId)));
        } catch (error) {
          this.affordable.delete(chainId);
          const err = toBoundedError(error);
          this.context.logger.debug({ chainId, err }, 'cannot load the balances of executors');
        }
      }),
    );
    this.loadedAt = performance.now();
  }

  private async loadChain(client: PublicClient): Promise<readonly AffordableBundles[]> {
    const { baseFeePerGas } = await loadHead(client);
    const { maxFeePerGas } = await loadTransactionFees(client, baseFeePerGas ?? 0n);
    const cost = maxFeePerGas * BigInt(this.config.EXECUTOR_BUNDLE_GAS);
    return Promise.all(
      (await this.signer.executors()).map(async (executor) => {
        const balance = await client.getBalance({ address: executor });
        return { executor, count: Number(cost === 0n ? balance : balance / cost) };
      }),
    );
  }
}
