import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { LinkedUserQueries } from './linked-user.queries.js';
import { WalletConnectionsService } from './wallet-connections.service.js';
import { WalletListQueries } from './wallet-list.queries.js';
import { WalletsService } from './wallets.service.js';

@Module({
  imports: [PaginationModule],
  providers: [LinkedUserQueries, WalletConnectionsService, WalletListQueries, WalletsService],
  exports: [LinkedUserQueries, WalletConnectionsService, WalletListQueries, WalletsService],
})
export class WalletsModule {}
