import { Module } from '@nestjs/common';
import { ChainsModule } from '../../rules/chains/chains.module.js';
import { BalancesController } from './balances.controller.js';
import { WalletBalancesService } from './wallet-balances.service.js';
import { WatchedAssets } from './watched-assets.js';
import { WatchedTokensConfig } from './watched-tokens.config.js';

@Module({
  imports: [ChainsModule],
  controllers: [BalancesController],
  providers: [WatchedTokensConfig, WatchedAssets, WalletBalancesService],
  exports: [WatchedAssets],
})
export class BalancesModule {}
