import { Module } from '@nestjs/common';
import { CommunityAccessModule } from '../communities/access/community-access.module.js';
import { EvaluationModule } from '../evaluation/evaluation.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { FindMember } from './find-member.js';
import { MemberRolesService } from './member-roles.service.js';

@Module({
  imports: [CommunityAccessModule, EvaluationModule, IdentityModule, RoleAssignmentsModule],
  providers: [FindMember, MemberRolesService],
  exports: [MemberRolesService],
})
export class MemberRolesModule {}
