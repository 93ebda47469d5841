import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { EnsConfig } from './ens/ens.config.js';
import { EnsNamesService } from './ens/ens-names.service.js';
import { UserNamesService } from './ens/user-names.service.js';
import { ProfileService } from './profile/profile.service.js';
import { UserEventsService } from './user-events.service.js';
import { UsersService } from './users.service.js';
import { WalletConnectionsService } from './wallets/wallet-connections.service.js';

@Module({
  providers: [
    ChainConfig,
    EnsConfig,
    EnsNamesService,
    ProfileService,
    UserEventsService,
    UserNamesService,
    UsersService,
    WalletConnectionsService,
  ],
  exports: [ProfileService, UserEventsService, UserNamesService, UsersService, WalletConnectionsService],
})
export class UsersModule {}
