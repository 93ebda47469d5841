import { Module } from '@nestjs/common';
import { CredentialsModule } from './credentials/credentials.module.js';
import { ClientApplicationController } from './client-application.controller.js';
import { ClientApplicationsService } from './client-applications.service.js';
import { GatewayClient } from '../clients/gateway-client.js';
import { ApplicationCredentialsService } from './credentials/application-credentials.service.js';
import { PlanUsageService } from './plans/plan-usage.service.js';
import { GatewayClientConfig } from '../clients/gateway-client.config.js';

@Module({
  imports: [CredentialsModule],
  controllers: [ClientApplicationController],
  providers: [
    ClientApplicationsService,
    ApplicationCredentialsService,
    PlanUsageService,
    GatewayClientConfig,
    GatewayClient,
  ],
  exports: [ClientApplicationsService, ApplicationCredentialsService, PlanUsageService],
})
export class ClientApplicationsModule {}
