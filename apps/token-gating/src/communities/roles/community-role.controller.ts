import { CurrentPrincipal, type Principal } from '@app/auth';
import { type NewCommunityRole, newCommunityRole } from '@app/dto';
import { Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import {
  ADMINISTRATOR_ERRORS,
  communityRead,
  communityWriteByUser,
  VIEWER_ERRORS,
} from '../access/operation-security.js';
import {
  communityRole,
  type CommunityRole,
  type CommunityRoleChange,
  communityRoleChange,
  communityRoleList,
  type CommunityRoleParams,
  communityRoleParams,
} from './community-role.dto.js';
import { DeleteRoleService, MAX_COMMUNITY_ROLES, CommunityRolesService } from './community-roles.service.js';

@Controller('communities/:communityId/roles')
export class CommunityRoleController {
  constructor(
    private readonly roles: CommunityRolesService,
    private readonly deletion: DeleteRoleService,
  ) {}

  @Get()
  @Operation({
    ...communityRead,
    summary: 'List the roles of a community',
    description:
      'The roles that rules of the community can grant, with name and color, for everyone who may see the community. Who has ' +
      'a role is in the list of members.',
    errors: VIEWER_ERRORS,
  })
  @Returns(communityRoleList)
  async listRoles(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<{ items: CommunityRole[] }> {
    return { items: await this.roles.list(principal, communityId) };
  }

  @Post()
  @Operation({
    ...communityWriteByUser,
    summary: 'Create a role, for administrators',
    description:
      'A role has no holders until a rule of the community grants it: add such a rule with `replaceRules`. Administrators ' +
      'may.',
    conflicts: {
      role_conflict: 'the community has a role with this id, or is still revoking a deleted one',
      role_limit_exceeded: `a community has at most ${MAX_COMMUNITY_ROLES} roles`,
    },
    errors: ADMINISTRATOR_ERRORS,
  })
  @Returns(communityRole, { status: 201 })
  createRole(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: newCommunityRole }) body: NewCommunityRole,
  ) {
    return this.roles.create(principal, communityId, body);
  }

  @Patch(':roleId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Change the name or color of a role, for administrators',
    description:
      'Changes how a role is shown; who has it and by which rules stays as it is. Administrators may.',
    errors: [...ADMINISTRATOR_ERRORS, '404 role_not_found'],
  })
  @ApiBody({ required: false })
  @Returns(communityRole)
  changeRole(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityRoleParams }) { communityId, roleId }: CommunityRoleParams,
    @Body({ schema: communityRoleChange.optional() }) body: CommunityRoleChange = {},
  ) {
    return this.roles.update(principal, communityId, roleId, body);
  }

  @Delete(':roleId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Delete a role and revoke it from all members, for administrators',
    description:
      'All members lose the role, and its id cannot be used again until that has ended. Rules that grant it must be removed ' +
      'first. Administrators may.',
    conflicts: { role_rule_conflict: 'a rule of the community grants it' },
    example: { status: 409, reason: 'a rule of the demo community grants the role' },
    errors: [...ADMINISTRATOR_ERRORS, '404 role_not_found'],
  })
  @ReturnsNothing()
  async deleteRole(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityRoleParams }) { communityId, roleId }: CommunityRoleParams,
  ): Promise<void> {
    await this.deletion.delete(principal, communityId, roleId);
  }
}
