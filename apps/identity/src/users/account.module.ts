import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { PublicUrlsConfig } from '../common/public-urls.config.js';
import { WalletSignaturesModule } from '../wallet-signatures/wallet-signatures.module.js';
import { AccountController } from './account.controller.js';
import { AccountService } from './account.service.js';
import { UsersModule } from './users.module.js';
import { LinkChallengeStore } from './wallet-linking/link-challenge-store.js';
import { LinkProofService } from './wallet-linking/link-proof.service.js';
import { WalletBalanceService, WalletLinkingService } from './wallet-linking/wallet-linking.service.js';
import { UserHeartbeatSweeper } from './user-events.service.js';
import { UnlinkedWalletsSweeper } from './wallets/unlinked-wallets-sweeper.js';
import { WalletRemovalService } from './wallets/wallet-removal.service.js';

@Module({
  imports: [ClientsModule, PaginationModule, UsersModule, WalletSignaturesModule],
  controllers: [AccountController],
  providers: [
    PublicUrlsConfig,
    AccountService,
    UserHeartbeatSweeper,
    UnlinkedWalletsSweeper,
    WalletRemovalService,
    LinkChallengeStore,
    LinkProofService,
    WalletBalanceService,
    WalletLinkingService,
  ],
  exports: [LinkChallengeStore, WalletLinkingService],
})
export class AccountModule {}
