import { Module } from '@nestjs/common';
import { PlatformClient } from './platform-client.js';
import { PlatformHttpClient } from './platform-http-client.js';
import { PlatformsConfig } from './platforms.config.js';
import { PlatformUsersService } from './platform-users.service.js';

@Module({
  providers: [PlatformsConfig, PlatformHttpClient, PlatformClient, PlatformUsersService],
  exports: [PlatformsConfig, PlatformHttpClient, PlatformUsersService],
})
export class PlatformsModule {}
