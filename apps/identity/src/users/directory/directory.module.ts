import { Module } from '@nestjs/common';
import { DirectoryService } from './directory.service.js';
import { PlatformUsersController } from './platform-users.controller.js';
import { UsersController } from './users.controller.js';
import { WalletsController } from './wallets.controller.js';

/** Internal API with which other apps look up users and wallets. */
@Module({
  controllers: [PlatformUsersController, UsersController, WalletsController],
  providers: [DirectoryService],
})
export class DirectoryModule {}
