import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { SolanaNodesService } from './nodes/solana-nodes.service.js';
import { JudgeTransactionService } from './transactions/judge-transaction.service.js';
import { SettleTransactionsService } from './transactions/settle-transactions.service.js';
import { SignTransactionService } from './transactions/sign-transaction.service.js';
import { SolanaTransactionRepository } from './transactions/solana-transaction.repository.js';
import { SubmitTransactionService } from './transactions/submit-transaction.service.js';
import { TransactionResponseService } from './transactions/transaction-response.service.js';
import { TransactionSignal } from './transactions/transaction-signal.js';
import { TransactionWorker } from './transactions/transaction.worker.js';

/** Needs a provider of SolanaSigner. */
@Module({
  providers: [
    ChainConfig,
    SolanaNodesService,
    SolanaTransactionRepository,
    JudgeTransactionService,
    SignTransactionService,
    SubmitTransactionService,
    SettleTransactionsService,
    TransactionResponseService,
    TransactionSignal,
    TransactionWorker,
  ],
  exports: [SubmitTransactionService, TransactionResponseService],
})
export class SolanaModule {}
