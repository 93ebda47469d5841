import { Module } from '@nestjs/common';
import { ChainsModule } from '../../rules/chains/chain.service.js';
import { BalancesController } from '../asset-ownership.controller.js';
import { WalletBalancesService } from './wallet-balances.service.js';
import { WatchedAssets, WatchedTokensConfig } from './watched-assets.js';

@Module({
  imports: [ChainsModule],
  controllers: [BalancesController],
  providers: [WatchedTokensConfig, WatchedAssets, WalletBalancesService],
  exports: [WatchedAssets],
})
export class BalancesModule {}
