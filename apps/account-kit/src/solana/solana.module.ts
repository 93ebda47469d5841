import { QueuesModule, solanaTransactionsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { CustodyModule } from '../custody/custody.module.js';
import { EvmModule } from '../evm/evm.module.js';
import { StateTransitions } from '../states/state-transitions.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SolanaConfig } from './messages/solana.config.js';
import { SolanaNodesService } from './nodes/solana-nodes.service.js';
import { SolanaMetrics } from './solana-metrics.js';
import { AcceptTransactionService } from './transactions/accept-transaction.service.js';
import { FinishTransactionsService } from './transactions/finish-transactions.service.js';
import { JudgeTransactionService } from './transactions/judge-transaction.service.js';
import {
  PauseTransactionsService,
  SettleTransactionsService,
} from './transactions/settle-transactions.service.js';
import {
  SignTransactionService,
  SolanaSigner,
  VaultSolanaSigner,
} from './transactions/sign-transaction.service.js';
import { SendTransactionService } from './transactions/send-transaction.service.js';
import {
  SolanaTransactionsConsumer,
  TransactionSignal,
  UnsentTransactionNotifier,
} from './transactions/transaction-signal.js';
import { SolanaTransactionRepository } from './transactions/solana-transaction.repository.js';
import {
  SubmitTransactionService,
  TransactionSponsorService,
} from './transactions/submit-transaction.service.js';
import {
  TransactionResponseService,
  UserSolanaTransactionsService,
} from './user-solana-transactions.service.js';
import { TransactionStateRepository } from './transactions/transaction-state.repository.js';
import { TransactionWorker } from './transactions/transaction-worker.js';

@Module({
  imports: [EvmModule, CustodyModule, PoliciesModule, QueuesModule.register(solanaTransactionsQueue)],
  providers: [
    StateTransitions,
    SolanaConfig,
    SolanaMetrics,
    SolanaNodesService,
    SolanaTransactionRepository,
    AcceptTransactionService,
    JudgeTransactionService,
    SignTransactionService,
    SubmitTransactionService,
    SettleTransactionsService,
    FinishTransactionsService,
    PauseTransactionsService,
    TransactionResponseService,
    TransactionSignal,
    SendTransactionService,
    UnsentTransactionNotifier,
    SolanaTransactionsConsumer,
    TransactionSponsorService,
    TransactionStateRepository,
    TransactionWorker,
    UserSolanaTransactionsService,
    { provide: SolanaSigner, useClass: VaultSolanaSigner },
  ],
  exports: [UserSolanaTransactionsService],
})
export class SolanaModule {}
