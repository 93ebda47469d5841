import { Module } from '@nestjs/common';
import { EthereumLoginModule } from '../ethereum-login/ethereum-login.module.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { TokenGatingModule } from '../token-gating/token-gating.module.js';
import { UsersModule } from '../users/users.module.js';
import { LinkChallenges } from './link-challenges.js';
import { LinkProof } from './link-proof.js';
import { WalletBalances } from './wallet-balances.js';
import { WalletLinkingService } from './wallet-linking.service.js';

@Module({
  imports: [EthereumLoginModule, TokenGatingModule, UsersModule],
  providers: [PublicUrlsConfig, LinkChallenges, LinkProof, WalletBalances, WalletLinkingService],
  exports: [WalletLinkingService],
})
export class WalletLinkingModule {}
