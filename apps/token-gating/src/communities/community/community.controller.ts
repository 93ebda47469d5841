import { Caller, type Principal } from '@app/auth';
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
import { read, write } from '../shared/operations.js';
import { MOST_OWNED } from './owned-communities.js';
import { PublicCommunities } from './public-communities.js';

const OWNS_TOO_MANY = `a user owns ${MOST_OWNED} at most`;

/** Communities themselves. What one may not see of them is 404 (contract.md section 7). */
@Controller('communities')
export class CommunityController {
  constructor(
    private readonly communities: CommunitiesService,
    private readonly publicCommunities: PublicCommunities,
    private readonly deletion: DeleteCommunityService,
  ) {}

  @Get()
  @Operation({ ...read, summary: 'Public communities, the oldest first' })
  @Returns(communityPage)
  listCommunities(@Caller() caller: Principal, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.publicCommunities.list(caller, query);
  }

  @Post()
  @Operation({
    ...write,
    summary: 'Make a community, and own it',
    conflicts: { too_many_communities: OWNS_TOO_MANY },
  })
  @Returns(community, { status: 201 })
  createCommunity(@Caller() caller: Principal, @Body({ schema: newCommunity }) body: NewCommunity) {
    return this.communities.create(caller, body);
  }

  @Get(':communityId')
  @Operation({ ...read, summary: 'One community' })
  @Returns(community)
  getCommunity(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.communities.get(caller, communityId);
  }

  @Patch(':communityId')
  @Operation({ ...write, summary: 'Change a community; for administrators' })
  @ApiBody({ required: false })
  @Returns(community)
  changeCommunity(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityChange.optional() }) body: CommunityChange = {},
  ) {
    return this.communities.change(caller, communityId, body);
  }

  @Delete(':communityId')
  @Operation({ ...write, summary: 'Delete a community with all that belongs to it; for its owner' })
  @HttpCode(200)
  @ApiOkResponse()
  async deleteCommunity(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<void> {
    await this.deletion.remove(caller, communityId);
  }

  @Put(':communityId/owner')
  @Operation({
    ...write,
    summary: 'Give a community to one of its administrators; for its owner',
    conflicts: {
      not_an_administrator: 'the next owner is none yet',
      too_many_communities: OWNS_TOO_MANY,
    },
  })
  @Returns(community)
  changeOwner(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: newOwner }) { userId }: NewOwner,
  ) {
    return this.communities.changeOwner(caller, communityId, userId);
  }
}
