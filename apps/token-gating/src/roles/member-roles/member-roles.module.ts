import { Module } from '@nestjs/common';
import { CommunityAccessModule } from '../../communities/access/community-access.module.js';
import { MemberEvaluationModule } from '../evaluation/member-evaluation.module.js';
import { IdentityClientModule } from '../../clients/identity-client.module.js';
import { RoleAssignmentsModule } from '../assignments/role-assignments.module.js';
import { CheckedMembersSweeper } from './checked-members-sweeper.js';
import { MemberLookupService } from './member-lookup.service.js';
import { MemberRolesService } from './member-roles.service.js';

@Module({
  imports: [CommunityAccessModule, MemberEvaluationModule, IdentityClientModule, RoleAssignmentsModule],
  providers: [MemberLookupService, MemberRolesService, CheckedMembersSweeper],
  exports: [MemberRolesService],
})
export class MemberRolesModule {}
