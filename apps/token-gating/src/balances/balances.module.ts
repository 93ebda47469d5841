import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module.js';
import { BalancesController } from './balances.controller.js';
import { ReadBalances } from './read-balances.js';
import { WatchedTokensConfig } from './watched-tokens.config.js';

@Module({
  imports: [ChainsModule],
  controllers: [BalancesController],
  providers: [WatchedTokensConfig, ReadBalances],
})
export class BalancesModule {}
