import { QueuesModule, userOperationsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { ChainConfig } from '@app/chain/evm';
import { EvmModule } from '../../evm/evm.module.js';
import { BundleFunds } from './bundles/bundle-funds.js';
import { BundlerClientService } from './bundler/bundler-client.service.js';
import { BundlerSubmissionRepository } from './bundler/bundler-submission.repository.js';
import { OperationClaimRepository } from './bundles/operation-claim.repository.js';
import { CancellationService } from './dead-operations/cancellation.service.js';
import { ExecutorMetrics } from './executor-metrics.js';
import { ExecutorWorkerService } from './executor-worker.service.js';
import { ExecutorChainsConfig, ExecutorConfig } from './executor.config.js';
import { ChainLeaseRepository } from './chain-lease.repository.js';
import { KeyVaultModule } from '../../custody/key-vault.module.js';
import { SignedOperationsSignal } from './signed-operations-signal.js';
import { StatesModule } from '../../states/state-transitions.js';
import { PoliciesConfig } from '../../policies/rules/policies.config.js';
import { SponsoringModule } from '../../policies/sponsoring/sponsoring.module.js';
import { OperationStateHooks, OperationStateRepository } from './operation-state.repository.js';
import { SignedOperationNotifier } from './signed-operation-notifier.js';
import { UserOperationsConsumer } from './user-operations.consumer.js';
import { ExecutorTransactionRepository } from './transactions/executor-transaction.repository.js';
import { RefusedTransactionRepository } from './transactions/refused-transaction.repository.js';
import { SendClientsService } from './transactions/send-clients.service.js';
import { TransactionMetrics } from './transactions/transaction-metrics.js';

@Module({
  imports: [
    EvmModule,
    KeyVaultModule,
    StatesModule,
    SponsoringModule,
    QueuesModule.register(userOperationsQueue),
  ],
  providers: [
    ChainConfig,
    PoliciesConfig,
    ExecutorConfig,
    ExecutorChainsConfig,
    SignedOperationsSignal,
    SignedOperationNotifier,
    UserOperationsConsumer,
    OperationStateHooks,
    OperationStateRepository,
    ChainLeaseRepository,
    OperationClaimRepository,
    ExecutorTransactionRepository,
    CancellationService,
    BundlerClientService,
    BundlerSubmissionRepository,
    BundleFunds,
    RefusedTransactionRepository,
    SendClientsService,
    TransactionMetrics,
    ExecutorWorkerService,
    ExecutorMetrics,
  ],
  exports: [
    BundlerClientService,
    CancellationService,
    ExecutorConfig,
    ExecutorChainsConfig,
    SignedOperationNotifier,
    OperationStateHooks,
    OperationStateRepository,
  ],
})
export class ExecutorsModule {}
