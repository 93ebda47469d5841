import { Module } from '@nestjs/common';
import { UsersModule } from './users.module.js';
import { WalletLinkingModule } from './wallet-linking/wallet-linking.module.js';
import { WalletsModule } from './wallets/wallets.module.js';
import { AccountController } from './account.controller.js';
import { AccountService } from './account.service.js';

@Module({
  imports: [UsersModule, WalletLinkingModule, WalletsModule],
  controllers: [AccountController],
  providers: [AccountService],
})
export class AccountModule {}
