import { Module } from '@nestjs/common';
import { UsersService } from './users.service.js';
import { WalletConnectionsService } from './wallets/wallet-connections.service.js';

@Module({
  providers: [UsersService, WalletConnectionsService],
  exports: [UsersService, WalletConnectionsService],
})
export class UsersModule {}
