import { Module } from '@nestjs/common';
import { VisibleWalletQueries } from './visible-wallet.queries.js';
import { UserWalletQueries } from './user-wallet.queries.js';
import { PlatformUsersController } from './platform-users.controller.js';
import { PlatformUsersService } from './platform-users.service.js';
import { UserQueries } from './user.queries.js';
import { UsersController } from './users.controller.js';
import { WalletsController } from './wallets.controller.js';

/** Internal API with which other apps look up users and wallets. */
@Module({
  controllers: [PlatformUsersController, UsersController, WalletsController],
  providers: [VisibleWalletQueries, UserWalletQueries, PlatformUsersService, UserQueries],
})
export class DirectoryModule {}
