import { CurrentPrincipal, type Principal } from '@app/auth';
import {
  type CommunityChange,
  communityChange,
  type NewCommunity,
  newCommunity,
  type PageQuery,
  pageQuery,
} from '@app/dto';
import { Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import {
  CommunitiesService,
  DeleteCommunityService,
  MAX_OWNED_COMMUNITIES,
  PublicCommunityListService,
} from './communities.service.js';
import { MAX_OWNED_WITHOUT_APPLICATION } from '../without-application/rule-limits.js';
import { community, communityPage, type NewOwner, newOwner } from './community.dto.js';
import {
  ADMINISTRATOR_ERRORS,
  communityRead,
  communityWriteByUser,
  DELETER_ERRORS,
  OWNER_ERRORS,
  VIEWER_ERRORS,
} from '../access/operation-security.js';

const OWNERSHIP_LIMIT = `a user owns at most ${MAX_OWNED_COMMUNITIES} communities`;
const WITHOUT_APPLICATION_LIMIT = `where the deployment has communities without an approved client application, a user owns at most ${MAX_OWNED_WITHOUT_APPLICATION} of them`;

/** Operations on communities. A community that the caller may not see is 404 (contract.md section 7). */
@Controller('communities')
export class CommunityController {
  constructor(
    private readonly communities: CommunitiesService,
    private readonly publicCommunities: PublicCommunityListService,
    private readonly deletion: DeleteCommunityService,
  ) {}

  @Get()
  @Operation({
    ...communityRead,
    summary: 'List public communities, oldest first',
    description:
      'Communities with the visibility `public`, in pages, with their roles and the number of their members. Communities with ' +
      'the visibility `members` or `hidden` are in no list of this operation.',
  })
  @Returns(communityPage)
  listCommunities(@CurrentPrincipal() principal: Principal, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.publicCommunities.list(principal, query);
  }

  @Post()
  @Operation({
    ...communityWriteByUser,
    summary: 'Create a community and become its owner',
    description:
      'The signed-in user becomes owner and administrator, and joins like others to be a member. `visibility` decides who sees the community and ' +
      'whether joining needs an invitation; roles and rules are added afterwards.',
    conflicts: {
      community_limit_exceeded: OWNERSHIP_LIMIT,
      portal_community_limit_exceeded: WITHOUT_APPLICATION_LIMIT,
    },
    errors: ['429 new_community_limit_exceeded', '503 identity_unavailable'],
  })
  @Returns(community, { status: 201 })
  createCommunity(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: newCommunity }) body: NewCommunity,
  ) {
    return this.communities.create(principal, body);
  }

  @Get(':communityId')
  @Operation({
    ...communityRead,
    summary: 'Get a community',
    description:
      'The community with its roles and the number of its members. Administrators and attached client applications also see ' +
      'the owner and the invitation link; a community that the caller may not see is 404.',
    errors: VIEWER_ERRORS,
  })
  @Returns(community)
  getCommunity(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.communities.get(principal, communityId);
  }

  @Patch(':communityId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Change a community, for administrators',
    description:
      'Changes the fields that the body names and keeps all others: name, icon, visibility and the like. Administrators of ' +
      'the community may.',
    errors: ADMINISTRATOR_ERRORS,
  })
  @ApiBody({ required: false })
  @Returns(community)
  changeCommunity(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityChange.optional() }) body: CommunityChange = {},
  ) {
    return this.communities.update(principal, communityId, body);
  }

  @Delete(':communityId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Delete a community with its members, roles and rules, for its owner',
    description:
      'Removes the community with its members, roles, rules and invitations for good, and nothing brings it back. Its owner ' +
      'alone may.',
    requiresWalletLogin: true,
    errors: DELETER_ERRORS,
  })
  @ReturnsNothing()
  async deleteCommunity(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<void> {
    await this.deletion.delete(principal, communityId);
  }

  @Put(':communityId/owner')
  @Operation({
    ...communityWriteByUser,
    summary: 'Transfer the ownership to an administrator, for the owner',
    description:
      'The named administrator owns the community from now on, and the owner before stays an administrator. The owner alone ' +
      'may, and the new owner must be an administrator already.',
    requiresWalletLogin: true,
    conflicts: {
      new_owner_conflict: 'the new owner is not an administrator',
      community_limit_exceeded: OWNERSHIP_LIMIT,
      portal_community_limit_exceeded: WITHOUT_APPLICATION_LIMIT,
    },
    errors: OWNER_ERRORS,
  })
  @Returns(community)
  changeOwner(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: newOwner }) { userId }: NewOwner,
  ) {
    return this.communities.transferOwnership(principal, communityId, userId);
  }
}
