import { QueuesModule, userOperationsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { CustodyModule } from '../custody/custody.module.js';
import { EvmModule } from '../evm/evm.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { StateTransitions } from '../states/state-transitions.js';
import { AcceptOperationService, CapSettlementService } from './accept-operation.service.js';
import { OperationListService } from './operation-list.service.js';
import { OperationReceiptsService, UserOperationsService } from './user-operations.service.js';
import { OperationSigningService, UnsignedOperationJudge } from './operation-signing.service.js';
import { OperationSubmissionService } from './operation-submission.service.js';
import { RetentionSweeper, UnsignedOperationsSweeper } from './sweepers.js';
import { BundleFunds } from './execution/bundles/bundle-funds.js';
import { BundlerClientService } from './execution/bundler/bundler-client.service.js';
import { BundlerSubmissionRepository } from './execution/bundler/bundler-submission.repository.js';
import { OperationQueue } from './execution/operation-queue.js';
import { CancellationService } from './execution/dead-operations/cancellation.service.js';
import { ExecutorMetrics } from './execution/executor-metrics.js';
import {
  ExecutorWorkerService,
  SendClientsService,
  UserOperationsConsumer,
} from './execution/executor-worker.service.js';
import { ExecutorChainsConfig, ExecutorConfig } from './execution/executor.config.js';
import { ChainLeaseRepository } from './execution/chain-lease.repository.js';
import { SignedOperationsSignal, SignedOperationNotifier } from './execution/signed-operations-signal.js';
import { OperationStateHooks, OperationStateRepository } from './execution/operation-state.repository.js';
import { ExecutorTransactionRepository } from './execution/transactions/executor-transaction.repository.js';
import { TransactionMetrics } from './execution/transactions/transaction-metrics.js';

/** Submission of user operations, and their execution. */
@Module({
  imports: [EvmModule, CustodyModule, PoliciesModule, QueuesModule.register(userOperationsQueue)],
  providers: [
    StateTransitions,
    AcceptOperationService,
    CapSettlementService,
    OperationListService,
    OperationReceiptsService,
    OperationSigningService,
    OperationSubmissionService,
    RetentionSweeper,
    UnsignedOperationJudge,
    UnsignedOperationsSweeper,
    UserOperationsService,
    ExecutorConfig,
    ExecutorChainsConfig,
    SignedOperationsSignal,
    SignedOperationNotifier,
    UserOperationsConsumer,
    OperationStateHooks,
    OperationStateRepository,
    ChainLeaseRepository,
    OperationQueue,
    ExecutorTransactionRepository,
    CancellationService,
    BundlerClientService,
    BundlerSubmissionRepository,
    BundleFunds,
    SendClientsService,
    TransactionMetrics,
    ExecutorWorkerService,
    ExecutorMetrics,
  ],
  exports: [OperationListService, OperationSubmissionService, UserOperationsService],
})
export class UserOperationsModule {}
