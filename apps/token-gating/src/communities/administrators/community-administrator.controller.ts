import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns, ReturnsNothing } from '@app/service';
import { Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import {
  ADMINISTRATOR_ERRORS,
  communityRead,
  communityWriteByUser,
  OWNER_ERRORS,
  VIEWER_ERRORS,
} from '../access/operation-security.js';
import {
  administratorList,
  type AdministratorParams,
  administratorParams,
  AdministratorsService,
  MAX_ADMINISTRATORS,
} from './administrators.service.js';

@Controller('communities/:communityId/administrators')
export class CommunityAdministratorController {
  constructor(private readonly administrators: AdministratorsService) {}

  @Get()
  @Operation({
    ...communityRead,
    summary: 'List administrators, for administrators and attached client applications',
    description:
      'The administrators of a community with the owner among them, for administrators and attached client applications.',
    errors: VIEWER_ERRORS,
  })
  @Returns(administratorList)
  listAdministrators(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.administrators.list(principal, communityId);
  }

  @Put(':userId')
  @Operation({
    ...communityWriteByUser,
    requiresWalletLogin: true,
    summary: 'Make a member an administrator, for the owner',
    description:
      'The member may change the community, its roles, rules and members from now on, and everything but what the owner alone ' +
      'may. The owner alone appoints; doing it twice changes nothing.',
    conflicts: {
      administrator_limit_exceeded: `a community has at most ${MAX_ADMINISTRATORS} administrators`,
    },
    errors: [...OWNER_ERRORS, '404 user_not_found'],
  })
  @ReturnsNothing()
  async addAdministrator(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: administratorParams }) { communityId, userId }: AdministratorParams,
  ): Promise<void> {
    await this.administrators.add(principal, communityId, userId);
  }

  @Delete(':userId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Remove an administrator, for the owner, or step down as one',
    description:
      'The person stays a member and administers nothing any more. The owner removes any other administrator; an ' +
      'administrator may name themselves, which is stepping down.',
    conflicts: { owner_removal_conflict: 'the owner must transfer the ownership first' },
    errors: [...ADMINISTRATOR_ERRORS, ...OWNER_ERRORS, '404 user_not_found'],
  })
  @ReturnsNothing()
  async removeAdministrator(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: administratorParams }) { communityId, userId }: AdministratorParams,
  ): Promise<void> {
    await this.administrators.remove(principal, communityId, userId);
  }
}
