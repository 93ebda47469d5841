import { Module } from '@nestjs/common';
import { AccountWallets } from './account-wallets.js';
import { HeldWallets } from './held-wallets.js';
import { PlatformUsersController } from './platform-users.controller.js';
import { PlatformUsers } from './platform-users.js';
import { UserDirectory } from './user-directory.js';
import { UsersController } from './users.controller.js';
import { WalletsController } from './wallets.controller.js';

/** What other apps of ours ask about users. */
@Module({
  controllers: [PlatformUsersController, UsersController, WalletsController],
  providers: [AccountWallets, HeldWallets, PlatformUsers, UserDirectory],
})
export class DirectoryModule {}
