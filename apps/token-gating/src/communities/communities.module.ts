import { memberWalletsQueue, QueuesModule, userEventsQueue, walletEventsQueue } from '@app/queues';
import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { CallbacksModule } from '../callbacks/callbacks.module.js';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { CommunityEventPublisher } from './events/community-event.publisher.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { CommunityAccessService } from './access/community-access.service.js';
import { CommunityAdministratorController } from './administrators/community-administrator.controller.js';
import { AdministratorsService } from './administrators/administrators.service.js';
import {
  AnalyticsAccessController,
  AnalyticsAccessService,
  CommunityStateController,
  CommunityStateService,
} from './analytics/analytics.controller.js';
import { CommunityClientController } from './client-applications/community-client.controller.js';
import { AttachedClientPlansService } from './client-applications/attached-client-plans.service.js';
import { AttachedClientsService } from './client-applications/attached-clients.service.js';
import {
  CommunitiesService,
  DeleteCommunityService,
  PublicCommunityListService,
} from './community/communities.service.js';
import { CommunityResponseFactory } from './community/community-response.factory.js';
import { CommunityController } from './community/community.controller.js';
import { PurgeSweeper } from './purge-sweeper.js';
import {
  CommunityInteractionController,
  InteractionsService,
  ReportedInteractionsSweeper,
} from './interactions/community-interaction.controller.js';
import { InvitationConfig, InvitationLinkService } from './invitations/invitation-link.service.js';
import {
  CommunityInvitationController,
  InvitationsService,
} from './invitations/community-invitation.controller.js';
import {
  CommunityMemberController,
  PlatformMemberController,
  PlatformMemberService,
} from './members/community-member.controller.js';
import { MemberListService, MembersService } from './members/members.service.js';
import { MembershipService } from './members/membership.service.js';
import {
  DeleteRoleService,
  RevokeRoleService,
  CommunityRolesService,
} from './roles/community-roles.service.js';
import {
  OwnershipOffersService,
  OwnershipOffersSweeper,
} from './ownership-offers/ownership-offers.service.js';
import { CommunityRoleController } from './roles/community-role.controller.js';
import { CommunityRuleController } from './rules/community-rule.controller.js';
import { CommunitySuspensionsController } from './suspensions/community-suspensions.controller.js';
import { CommunityRulesService } from './rules/community-rules.service.js';
import {
  AccountController,
  AdministratedCommunitiesController,
  JoinedCommunitiesController,
} from './user-communities/account.controller.js';
import { MemberCountService, UserCommunitiesService } from './user-communities/user-communities.service.js';
import { PortalCommunitiesConfig } from './without-application/portal-communities.config.js';
import { CommunityHeartbeatSweeper, HeartbeatPublisher } from './user-events/heartbeat.publisher.js';
import {
  NewCommunitiesService,
  NewCommunitiesSweeper,
  PortalAddressConfig,
} from './without-application/new-communities.service.js';
import { ErasedUserService, SignInFanout, UserEventsConsumer } from './user-events/user-events.consumer.js';

@Module({
  imports: [
    RuleServicesModule,
    CallbacksModule,
    ChainsModule,
    ChecksModule,
    IdentityClientModule,
    SafeFetcherModule,
    PaginationModule,
    ...[userEventsQueue, walletEventsQueue, memberWalletsQueue].map((queue) => QueuesModule.register(queue)),
  ],
  controllers: [
    CommunityController,
    CommunitySuspensionsController,
    CommunityAdministratorController,
    CommunityRoleController,
    CommunityRuleController,
    CommunityMemberController,
    PlatformMemberController,
    CommunityClientController,
    CommunityInvitationController,
    CommunityInteractionController,
    AnalyticsAccessController,
    CommunityStateController,
    AccountController,
    AdministratedCommunitiesController,
    JoinedCommunitiesController,
  ],
  providers: [
    CommunityAccessService,
    NewCommunitiesService,
    NewCommunitiesSweeper,
    PortalAddressConfig,
    PortalCommunitiesConfig,
    CommunityEventPublisher,
    InvitationConfig,
    InvitationLinkService,
    InvitationsService,
    CommunityResponseFactory,
    CommunitiesService,
    PublicCommunityListService,
    DeleteCommunityService,
    PurgeSweeper,
    AdministratorsService,
    OwnershipOffersService,
    OwnershipOffersSweeper,
    CommunityRolesService,
    DeleteRoleService,
    RevokeRoleService,
    CommunityRulesService,
    MembershipService,
    MembersService,
    MemberListService,
    PlatformMemberService,
    AttachedClientPlansService,
    AttachedClientsService,
    AnalyticsAccessService,
    CommunityStateService,
    InteractionsService,
    ReportedInteractionsSweeper,
    MemberCountService,
    UserCommunitiesService,
    HeartbeatPublisher,
    CommunityHeartbeatSweeper,
    SignInFanout,
    ErasedUserService,
    UserEventsConsumer,
  ],
  exports: [
    AttachedClientPlansService,
    CommunityAccessService,
    CommunityEventPublisher,
    CommunityResponseFactory,
    CommunityRulesService,
    InvitationLinkService,
    MembershipService,
    NewCommunitiesService,
    OwnershipOffersService,
    PortalCommunitiesConfig,
  ],
})
export class CommunitiesModule {}
