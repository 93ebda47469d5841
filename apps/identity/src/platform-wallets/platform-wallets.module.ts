import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { PlatformMemberService } from './platform-member.service.js';
import { PlatformWalletPageService } from './platform-wallet-page.service.js';
import { PlatformWalletController } from './platform-wallets.controller.js';
import { PlatformWalletsService } from './platform-wallets.service.js';
import { UsersModule } from '../users/users.module.js';

@Module({
  imports: [UsersModule, ClientsModule],
  controllers: [PlatformWalletController],
  providers: [PublicUrlsConfig, PlatformMemberService, PlatformWalletsService, PlatformWalletPageService],
  exports: [PlatformWalletPageService],
})
export class PlatformWalletsModule {}
