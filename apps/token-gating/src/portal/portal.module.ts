import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { PlanUsageClientModule } from '../clients/plan-usage-client.js';
import { CommunitiesModule } from '../communities/communities.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { OwnershipOffersController, PortalOffersService } from './ownership-offers.controller.js';
import { PortalInvitationsService } from './portal-invitations.service.js';
import { PortalMembersService } from './portal-members.service.js';
import { PortalController } from './portal.controller.js';
import { PortalUsageService } from './portal-usage.service.js';
import { RuleTrialsService } from './rule-trials.service.js';

@Module({
  imports: [
    CatalogueModule,
    ChecksModule,
    CommunitiesModule,
    IdentityClientModule,
    PlanUsageClientModule,
    RolesModule,
  ],
  controllers: [PortalController, OwnershipOffersController],
  providers: [
    PortalInvitationsService,
    PortalMembersService,
    PortalOffersService,
    PortalUsageService,
    RuleTrialsService,
  ],
})
export class PortalModule {}
