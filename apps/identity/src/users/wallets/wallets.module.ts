import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { UsersModule } from '../users.module.js';
import { LinkedUserQueries } from './linked-user.queries.js';
import { WalletsService } from './wallets.service.js';
import { WalletListQueries } from './wallet-list.queries.js';

@Module({
  imports: [PaginationModule, UsersModule],
  providers: [LinkedUserQueries, WalletsService, WalletListQueries],
  exports: [LinkedUserQueries, WalletsService, WalletListQueries],
})
export class WalletsModule {}
