import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { communityRead, communityWriteByUser } from '../access/operation-security.js';
import { administratorList, type AdministratorParams, administratorParams } from './administrator.dto.js';
import { AdministratorsService, MAX_ADMINISTRATORS } from './administrators.service.js';

@Controller('communities/:communityId/administrators')
export class CommunityAdministratorController {
  constructor(private readonly administrators: AdministratorsService) {}

  @Get()
  @Operation({ ...communityRead, summary: 'Who runs a community; for those who do' })
  @Returns(administratorList)
  listAdministrators(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.administrators.list(caller, communityId);
  }

  @Put(':userId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Make a user an administrator; for the owner',
    conflicts: { administrator_limit_exceeded: `a community has ${MAX_ADMINISTRATORS} at most` },
  })
  @HttpCode(200)
  @ApiOkResponse()
  async addAdministrator(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: administratorParams }) { communityId, userId }: AdministratorParams,
  ): Promise<void> {
    await this.administrators.add(caller, communityId, userId);
  }

  @Delete(':userId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Remove an administrator, for the owner; or step down',
    conflicts: { owner_removal_conflict: 'the owner gives the community to somebody else first' },
  })
  @HttpCode(200)
  @ApiOkResponse()
  async removeAdministrator(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: administratorParams }) { communityId, userId }: AdministratorParams,
  ): Promise<void> {
    await this.administrators.remove(caller, communityId, userId);
  }
}
