import { CurrentPrincipal, type Principal } from '@app/auth';
import { type PageQuery, pageQuery } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { CommunitiesService } from './communities.service.js';
import {
  community,
  type CommunityChange,
  communityChange,
  communityPage,
  type NewCommunity,
  newCommunity,
  type NewOwner,
  newOwner,
} from './community.dto.js';
import { DeleteCommunityService } from './delete-community.service.js';
import { communityRead, communityWriteByUser } from '../access/operation-security.js';
import { MAX_OWNED_COMMUNITIES } from './check-owned-community-limit.js';
import { PublicCommunityListService } from './public-community-list.service.js';

const OWNERSHIP_LIMIT = `a user owns ${MAX_OWNED_COMMUNITIES} at most`;

/** Communities themselves. What one may not see of them is 404 (contract.md section 7). */
@Controller('communities')
export class CommunityController {
  constructor(
    private readonly communities: CommunitiesService,
    private readonly publicCommunities: PublicCommunityListService,
    private readonly deletion: DeleteCommunityService,
  ) {}

  @Get()
  @Operation({ ...communityRead, summary: 'Public communities, the oldest first' })
  @Returns(communityPage)
  listCommunities(@CurrentPrincipal() caller: Principal, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.publicCommunities.list(caller, query);
  }

  @Post()
  @Operation({
    ...communityWriteByUser,
    summary: 'Make a community, and own it',
    conflicts: { community_limit_exceeded: OWNERSHIP_LIMIT },
  })
  @Returns(community, { status: 201 })
  createCommunity(@CurrentPrincipal() caller: Principal, @Body({ schema: newCommunity }) body: NewCommunity) {
    return this.communities.create(caller, body);
  }

  @Get(':communityId')
  @Operation({ ...communityRead, summary: 'One community' })
  @Returns(community)
  getCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.communities.get(caller, communityId);
  }

  @Patch(':communityId')
  @Operation({ ...communityWriteByUser, summary: 'Change a community; for administrators' })
  @ApiBody({ required: false })
  @Returns(community)
  changeCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityChange.optional() }) body: CommunityChange = {},
  ) {
    return this.communities.update(caller, communityId, body);
  }

  @Delete(':communityId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Delete a community with all that belongs to it; for its owner',
  })
  @HttpCode(200)
  @ApiOkResponse()
  async deleteCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<void> {
    await this.deletion.delete(caller, communityId);
  }

  @Put(':communityId/owner')
  @Operation({
    ...communityWriteByUser,
    summary: 'Give a community to one of its administrators; for its owner',
    conflicts: {
      new_owner_conflict: 'the next owner is none yet',
      community_limit_exceeded: OWNERSHIP_LIMIT,
    },
  })
  @Returns(community)
  changeOwner(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: newOwner }) { userId }: NewOwner,
  ) {
    return this.communities.transferOwnership(caller, communityId, userId);
  }
}
