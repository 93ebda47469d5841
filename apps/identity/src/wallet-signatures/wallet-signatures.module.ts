import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { BudgetKeyQueries } from './budget-key.queries.js';
import { ContractCheckConfig, ContractCheckLimiter } from './contract-check-limiter.js';
import { ContractWalletService } from './contract-wallet.service.js';

@Module({
  providers: [
    ChainConfig,
    ContractCheckConfig,
    BudgetKeyQueries,
    ContractCheckLimiter,
    ContractWalletService,
  ],
  exports: [ContractWalletService],
})
export class WalletSignaturesModule {}
