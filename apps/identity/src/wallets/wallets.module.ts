import { PagingModule } from '@app/service';
import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { LinkedUsers } from './linked-users.js';
import { OwnWalletsService } from './own-wallets.service.js';
import { WalletList } from './wallet-list.js';

@Module({
  imports: [PagingModule, UsersModule],
  providers: [LinkedUsers, OwnWalletsService, WalletList],
  exports: [LinkedUsers, OwnWalletsService, WalletList],
})
export class WalletsModule {}
