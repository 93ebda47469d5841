import { PagingModule } from '@app/service';
import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module.js';
import { CommunityEventsModule } from '../community-events/community-events.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { TokenListsModule } from '../token-lists/token-lists.module.js';
import { CommunityAccessModule } from './access/community-access.module.js';
import { CommunityAdministratorController } from './administrators/administrator.controller.js';
import { AdministratorsService } from './administrators/administrators.service.js';
import { CommunityClientController } from './client-applications/attached-client.controller.js';
import { AttachedClientsService } from './client-applications/attached-clients.service.js';
import { CommunitiesService } from './community/communities.service.js';
import { CommunityAnswers } from './community/community-answers.js';
import { CommunityController } from './community/community.controller.js';
import { CommunitySweeper } from './community/community-sweeper.js';
import { DeleteCommunityService } from './community/delete-community.service.js';
import { PublicCommunities } from './community/public-communities.js';
import { PurgeDeletedCommunities } from './community/purge-deleted-communities.js';
import { InvitationConfig } from './invitations/invitation.config.js';
import { CommunityInvitationController } from './invitations/invitation.controller.js';
import { Invitations } from './invitations/invitations.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { CommunityMemberController } from './members/member.controller.js';
import { MemberListService } from './members/member-list.service.js';
import { MembersService } from './members/members.service.js';
import { Memberships } from './members/memberships.js';
import { DeleteRoleService } from './roles/delete-role.service.js';
import { CommunityRoleController } from './roles/role.controller.js';
import { RolesService } from './roles/roles.service.js';
import { CommunityRuleController } from './rules/rule.controller.js';
import { RulesService } from './rules/rules.service.js';

@Module({
  imports: [
    ChainsModule,
    CommunityAccessModule,
    CommunityEventsModule,
    IdentityModule,
    OutboundModule,
    PagingModule,
    TokenListsModule,
  ],
  controllers: [
    CommunityController,
    CommunityAdministratorController,
    CommunityRoleController,
    CommunityRuleController,
    CommunityMemberController,
    CommunityClientController,
    CommunityInvitationController,
  ],
  providers: [
    InvitationConfig,
    Invitations,
    InvitationsService,
    CommunityAnswers,
    CommunitiesService,
    PublicCommunities,
    DeleteCommunityService,
    PurgeDeletedCommunities,
    CommunitySweeper,
    AdministratorsService,
    RolesService,
    DeleteRoleService,
    RulesService,
    Memberships,
    MembersService,
    MemberListService,
    AttachedClientsService,
  ],
  exports: [CommunityAnswers],
})
export class CommunitiesModule {}
