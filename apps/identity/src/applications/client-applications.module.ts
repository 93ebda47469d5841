import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ChangeFeedModule } from '../tokens/change-feed/change-feed.module.js';
import { ClientApplicationController } from './client-application.controller.js';
import { ClientApplicationsService } from './client-applications.service.js';
import { ApplicationCredentialsService } from './credentials/application-credentials.service.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { ClientPlansController } from './plans/client-plans.controller.js';
import { PlanUsageService } from './plans/plan-usage.service.js';

@Module({
  imports: [ChangeFeedModule, ClientsModule, CredentialsModule],
  controllers: [ClientApplicationController, ClientPlansController],
  providers: [ClientApplicationsService, ApplicationCredentialsService, PlanUsageService],
  exports: [ClientApplicationsService, ApplicationCredentialsService, PlanUsageService],
})
export class ClientApplicationsModule {}
