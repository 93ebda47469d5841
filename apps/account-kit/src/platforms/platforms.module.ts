import { Module } from '@nestjs/common';
import { PlatformClient } from './platform-client.js';
import { PlatformsConfig } from './platforms.config.js';
import { PlatformUsersService } from './platform-users.service.js';

@Module({
  providers: [PlatformsConfig, PlatformClient, PlatformUsersService],
  exports: [PlatformUsersService],
})
export class PlatformsModule {}
