import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { PlanUsageClientModule } from '../clients/plan-usage-client.js';
import { CommunitiesModule } from '../communities/communities.module.js';
import { RolesModule } from '../roles/roles.module.js';
import {
  NewCommunitiesService,
  NewCommunitiesSweeper,
  PortalAddressConfig,
} from './new-communities.service.js';
import { PortalController } from './portal.controller.js';
import { PortalUsageService } from './portal-usage.service.js';
import { RuleTrialsService } from './rule-trials.service.js';

@Module({
  imports: [CatalogueModule, ChecksModule, CommunitiesModule, PlanUsageClientModule, RolesModule],
  controllers: [PortalController],
  providers: [
    NewCommunitiesService,
    NewCommunitiesSweeper,
    PortalAddressConfig,
    PortalUsageService,
    RuleTrialsService,
  ],
})
export class PortalModule {}
