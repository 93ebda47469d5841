import { ChainConfig } from '@app/chain/evm';
import { QueuesModule, solanaTransactionsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { AccountsModule } from '../custody/accounts/accounts.module.js';
import { KeyVaultModule } from '../custody/key-vault.module.js';
import { PlatformsModule } from '../owners/platforms.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SponsoringModule } from '../policies/sponsoring/sponsoring.module.js';
import { TokenAudienceModule } from '../custody/token-audience/token-audience.module.js';
import { StatesModule } from '../states/state-transitions.js';
import { SolanaConfig } from './messages/solana.config.js';
import { SolanaNodesService } from './nodes/solana-nodes.service.js';
import { SolanaMetrics } from './solana-metrics.js';
import { SolanaSponsorsService } from './solana-sponsors.service.js';
import { AcceptTransactionService } from './transactions/accept-transaction.service.js';
import { FinishTransactionsService } from './transactions/finish-transactions.service.js';
import { JudgeTransactionService } from './transactions/judge-transaction.service.js';
import { PauseTransactionsService } from './transactions/pause-transactions.service.js';
import { SettleTransactionsService } from './transactions/settle-transactions.service.js';
import { SignTransactionService } from './transactions/sign-transaction.service.js';
import { SolanaSigner, VaultSolanaSigner } from './transactions/solana-signer.js';
import { SendTransactionService } from './transactions/send-transaction.service.js';
import {
  SolanaTransactionsConsumer,
  TransactionSignal,
  UnsentTransactionNotifier,
} from './transactions/transaction-signal.js';
import { SolanaTransactionRepository } from './transactions/solana-transaction.repository.js';
import { SubmitTransactionService } from './transactions/submit-transaction.service.js';
import { TransactionResponseService } from './transactions/transaction-response.service.js';
import { TransactionSponsorService } from './transactions/transaction-sponsor.service.js';
import { TransactionStateRepository } from './transactions/transaction-state.repository.js';
import { TransactionWorker } from './transactions/transaction-worker.js';
import { UserSolanaTransactionsService } from './user-solana-transactions.service.js';

@Module({
  imports: [
    AccountsModule,
    KeyVaultModule,
    PlatformsModule,
    PoliciesModule,
    SponsoringModule,
    StatesModule,
    QueuesModule.register(solanaTransactionsQueue),
    TokenAudienceModule,
  ],
  providers: [
    ChainConfig,
    SolanaConfig,
    SolanaMetrics,
    SolanaNodesService,
    SolanaSponsorsService,
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
  exports: [SolanaSponsorsService, UserSolanaTransactionsService],
})
export class SolanaModule {}
