import { CurrentPrincipal, type Principal } from '@app/auth';
import { type PageQuery, pageQuery } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import {
  communityRead,
  communityWriteByUser,
  communityWriteByClient,
  communityWriteByEither,
} from '../access/operation-security.js';
import { AMBIGUOUS_USER_CONFLICT } from './find-member.queries.js';
import {
  communityMember,
  communityMemberPage,
  type JoinRequest,
  joinRequest,
  type MemberParams,
  memberParams,
  type PlatformUserUpsert,
  platformUserUpsert,
  type UpsertedUsers,
  upsertedUsers,
} from './member.dto.js';
import { MemberListService } from './member-list.service.js';
import { MembersService } from './members.service.js';

@Controller('communities/:communityId')
export class CommunityMemberController {
  constructor(
    private readonly members: MembersService,
    private readonly lists: MemberListService,
  ) {}

  @Get('members')
  @Operation({ ...communityRead, summary: 'Who belongs to a community; for those who run it' })
  @Returns(communityMemberPage)
  listMembers(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: pageQuery }) query: PageQuery,
  ) {
    return this.lists.list(caller, communityId, query);
  }

  @Post('members')
  @Operation({
    ...communityWriteByUser,
    summary: 'Join a community',
    description: 'Public ones freely, communities of members with an invitation. Once more does no harm.',
  })
  @ApiBody({ required: false })
  @Returns(communityMember)
  joinCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: joinRequest.optional() }) { invitation }: JoinRequest = {},
  ) {
    return this.members.join(caller, communityId, invitation);
  }

  // Before the one with an id, which would take it for one.
  @Delete('members/me')
  @Operation({ ...communityWriteByUser, summary: 'Leave a community' })
  @HttpCode(200)
  @ApiOkResponse()
  async leaveCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<void> {
    await this.members.leave(caller, communityId);
  }

  @Delete('members/:userId')
  @Operation({
    ...communityWriteByEither,
    summary: 'Remove a member; for those who run the community',
    conflicts: AMBIGUOUS_USER_CONFLICT,
  })
  @HttpCode(200)
  @ApiOkResponse()
  async removeMember(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: memberParams }) { communityId, userId }: MemberParams,
  ): Promise<void> {
    await this.members.remove(caller, communityId, userId);
  }

  @Put('platform-users')
  @Operation({
    ...communityWriteByClient,
    summary: 'Make users of chat, microblog or codehost known, and members',
    description: 'For attached client applications that speak for themselves. Once more does no harm.',
  })
  @Returns(upsertedUsers)
  async upsertPlatformUsers(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: platformUserUpsert }) { users }: PlatformUserUpsert,
  ): Promise<UpsertedUsers> {
    return { userIds: await this.members.addPlatformUsers(caller, communityId, users) };
  }
}
