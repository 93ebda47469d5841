import { Module } from '@nestjs/common';
import { PublicUrlsConfig } from '../../common/public-urls.config.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { WalletSignaturesModule } from '../../wallet-signatures/wallet-signatures.module.js';
import { WalletsModule } from '../wallets/wallets.module.js';
import { LinkChallengeStore } from './link-challenge-store.js';
import { LinkProofService } from './link-proof.service.js';
import { WalletBalanceService } from './wallet-balance.service.js';
import { WalletLinkingService } from './wallet-linking.service.js';

@Module({
  imports: [ClientsModule, WalletSignaturesModule, WalletsModule],
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
