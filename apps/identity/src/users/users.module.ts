import { Module } from '@nestjs/common';
import { ProfileService } from './profile/profile.service.js';
import { UserEventsService } from './user-events.service.js';
import { UsersService } from './users.service.js';
import { WalletConnectionsService } from './wallets/wallet-connections.service.js';

@Module({
  providers: [ProfileService, UserEventsService, UsersService, WalletConnectionsService],
  exports: [ProfileService, UserEventsService, UsersService, WalletConnectionsService],
})
export class UsersModule {}
