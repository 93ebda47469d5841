import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ClientApplicationController } from './client-application.controller.js';
import { OwnApplications } from './own-applications.js';
import { GatewayClient } from './gateway-client.js';
import { OwnCredentials } from './own-credentials.js';
import { OwnUsage } from './own-usage.js';
import { UsageConfig } from './usage.config.js';

@Module({
  imports: [CredentialsModule],
  controllers: [ClientApplicationController],
  providers: [OwnApplications, OwnCredentials, OwnUsage, UsageConfig, GatewayClient],
  exports: [OwnApplications, OwnCredentials, OwnUsage],
})
export class ClientApplicationsModule {}
