import { ChainConfig } from '@app/chain/evm';
import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { WalletSignaturesModule } from '../wallet-signatures/wallet-signatures.module.js';
import { AccountController } from './account.controller.js';
import { AccountService } from './account.service.js';
import { DirectoryController } from './directory/directory.controller.js';
import { DirectoryService } from './directory/directory.service.js';
import { EnsNamesService } from './ens/ens-names.service.js';
import { EnsConfig } from './ens/ens.config.js';
import { UserNamesService } from './ens/user-names.service.js';
import { ProfileService } from './profile/profile.service.js';
import { UserEventsService, UserHeartbeatSweeper } from './user-events.service.js';
import { UsersService } from './users.service.js';
import { LinkChallengeStore } from './wallet-linking/link-challenge-store.js';
import { LinkProofService } from './wallet-linking/link-proof.service.js';
import { WalletBalanceService, WalletLinkingService } from './wallet-linking/wallet-linking.service.js';
import { UnlinkedWalletsSweeper } from './wallets/unlinked-wallets-sweeper.js';
import { WalletConnectionsService } from './wallets/wallet-connections.service.js';
import { WalletRemovalService } from './wallets/wallet-removal.service.js';

@Module({
  imports: [ClientsModule, PaginationModule, WalletSignaturesModule],
  controllers: [AccountController, DirectoryController],
  providers: [
    AccountService,
    ChainConfig,
    DirectoryService,
    EnsConfig,
    EnsNamesService,
    LinkChallengeStore,
    LinkProofService,
    ProfileService,
    PublicUrlsConfig,
    UnlinkedWalletsSweeper,
    UserEventsService,
    UserHeartbeatSweeper,
    UserNamesService,
    UsersService,
    WalletBalanceService,
    WalletConnectionsService,
    WalletLinkingService,
    WalletRemovalService,
  ],
  exports: [
    EnsNamesService,
    LinkChallengeStore,
    ProfileService,
    UserEventsService,
    UserNamesService,
    UsersService,
    WalletConnectionsService,
    WalletLinkingService,
    WalletRemovalService,
  ],
})
export class UsersModule {}
