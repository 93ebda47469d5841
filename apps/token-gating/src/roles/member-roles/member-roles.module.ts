import { Module } from '@nestjs/common';
import { CommunityAccessModule } from '../../communities/access/community-access.service.js';
import { MemberEvaluationModule } from '../evaluation/member-evaluation.service.js';
import { IdentityClientModule } from '../../clients/identity-client.js';
import { RoleAssignmentsModule } from '../assignments/role-assignments.service.js';
import { CheckedMembersSweeper } from './checked-members.js';
import { MemberLookupService, MemberRolesService } from './member-roles.service.js';

@Module({
  imports: [CommunityAccessModule, MemberEvaluationModule, IdentityClientModule, RoleAssignmentsModule],
  providers: [MemberLookupService, MemberRolesService, CheckedMembersSweeper],
  exports: [MemberRolesService],
})
export class MemberRolesModule {}
