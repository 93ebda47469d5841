import { Module } from '@nestjs/common';
import { UserEventsService } from './user-events.service.js';
import { UsersService } from './users.service.js';
import { WalletConnectionsService } from './wallets/wallet-connections.service.js';

@Module({
  providers: [UserEventsService, UsersService, WalletConnectionsService],
  exports: [UserEventsService, UsersService, WalletConnectionsService],
})
export class UsersModule {}
