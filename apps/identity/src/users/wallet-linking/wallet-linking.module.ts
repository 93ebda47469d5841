import { Module } from '@nestjs/common';
import { EthereumLoginModule } from '../../ethereum-login/ethereum-login.module.js';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { TokenGatingClientModule } from '../../clients/token-gating-client.module.js';
import { UsersModule } from '../users.module.js';
import { LinkChallengeStore } from './link-challenge-store.js';
import { LinkProofService } from './link-proof.service.js';
import { WalletBalanceService } from './wallet-balance.service.js';
import { WalletLinkingService } from './wallet-linking.service.js';

@Module({
  imports: [EthereumLoginModule, TokenGatingClientModule, UsersModule],
  providers: [
    PublicUrlsConfig,
    LinkChallengeStore,
    LinkProofService,
    WalletBalanceService,
    WalletLinkingService,
  ],
  exports: [WalletLinkingService],
})
export class WalletLinkingModule {}
