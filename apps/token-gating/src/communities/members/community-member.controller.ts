import { CurrentPrincipal, type Principal } from '@app/auth';
import {
  type PageQuery,
  pageQuery,
  type PlatformMemberRequest,
  platformMemberRequest,
  type PlatformMemberResponse,
  platformMemberResponse,
} from '@app/dto';
import { Operation, Returns, ReturnsNothing, InternalController } from '@app/service';
import { Body, Controller, Delete, Get, Param, Post, Put, Query, Injectable } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import {
  ADMINISTRATOR_ERRORS,
  CHANGE_ERRORS,
  communityRead,
  communityWriteByUser,
  communityWriteByClient,
  communityWriteByEither,
  OWNER_ERRORS,
  VIEWER_ERRORS,
} from '../access/operation-security.js';
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
import { AMBIGUOUS_USER_CONFLICT, MEMBER_LIMIT_CONFLICT } from './member.errors.js';
import { MemberListService, MembersService } from './members.service.js';
import { Database } from '@app/database';
import { findAttachment } from '../access/communities.queries.js';
import { findPlatformMembers } from './community-members.queries.js';

@Controller('communities/:communityId')
export class CommunityMemberController {
  constructor(
    private readonly members: MembersService,
    private readonly lists: MemberListService,
  ) {}

  @Get('members')
  @Operation({
    ...communityRead,
    summary: 'List members, for administrators and attached client applications',
    description:
      'Members in pages, oldest first, each with the roles that they have now. For administrators and attached client ' +
      'applications, which see no wallet addresses.',
    errors: VIEWER_ERRORS,
  })
  @Returns(communityMemberPage)
  listMembers(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: pageQuery }) query: PageQuery,
  ) {
    return this.lists.list(principal, communityId, query);
  }

  @Post('members')
  @Operation({
    ...communityWriteByUser,
    summary: 'Join a community',
    description:
      'The signed-in user becomes a member, and their wallets are checked against the rules. A community with the visibility ' +
      '`members` needs an invitation. Joining twice changes nothing.',
    conflicts: MEMBER_LIMIT_CONFLICT,
    errors: [...CHANGE_ERRORS, '404 user_not_found', '503 identity_unavailable'],
  })
  @ApiBody({ required: false })
  @Returns(communityMember)
  joinCommunity(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: joinRequest.optional() }) { invitation }: JoinRequest = {},
  ) {
    return this.members.join(principal, communityId, invitation);
  }

  // Must be declared before `members/:userId`, which would match it.
  @Delete('members/me')
  @Operation({
    ...communityWriteByUser,
    summary: 'Leave a community',
    description:
      'The signed-in user loses membership and roles, and is no administrator any more. The owner transfers the ownership ' +
      'first.',
    errors: VIEWER_ERRORS,
  })
  @ReturnsNothing()
  async leaveCommunity(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ): Promise<void> {
    await this.members.leave(principal, communityId);
  }

  @Delete('members/:userId')
  @Operation({
    ...communityWriteByEither,
    summary: 'Remove a member, for administrators and attached client applications',
    conflicts: AMBIGUOUS_USER_CONFLICT,
    description:
      'Ends their administration too; only the owner removes another administrator. They need a new invitation to return.',
    errors: [...ADMINISTRATOR_ERRORS, ...OWNER_ERRORS, '404 member_not_found'],
  })
  @ReturnsNothing()
  async removeMember(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: memberParams }) { communityId, userId }: MemberParams,
  ): Promise<void> {
    await this.members.remove(principal, communityId, userId);
  }

  @Put('platform-users')
  @Operation({
    ...communityWriteByClient,
    summary: 'Create users of chat, microblog or codehost, and add them as members',
    description:
      'For attached client applications that act for themselves, without a user: it creates whom it does not know and adds ' +
      'all of them as members. Doing it twice changes nothing.',
    conflicts: MEMBER_LIMIT_CONFLICT,
    errors: [...CHANGE_ERRORS, '403 attached_client_required', '503 identity_unavailable'],
  })
  @Returns(upsertedUsers)
  async upsertPlatformUsers(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: platformUserUpsert }) { users }: PlatformUserUpsert,
  ): Promise<UpsertedUsers> {
    return { userIds: await this.members.addPlatformUsers(principal, communityId, users) };
  }
}

/** Finds the platform users of a community for client applications that are attached to it. */
@Injectable()
export class PlatformMemberService {
  constructor(private readonly database: Database) {}

  async find({ communityId, clientId, member }: PlatformMemberRequest): Promise<PlatformMemberResponse> {
    const community = await findAttachment(this.database, communityId, clientId);
    if (!community) return { outcome: 'community_not_found' };
    if (!community.isAttached)
      return {
        outcome: community.isPublic && !community.isSuspended ? 'client_not_attached' : 'community_not_found',
      };
    const [found, other] = await findPlatformMembers(this.database, communityId, member);
    if (!found) return { outcome: 'member_not_found' };
    if (other) return { outcome: 'member_ambiguous' };
    const { name: communityName, isSuspended } = community;
    return { outcome: 'found', communityName, isSuspended, ...found };
  }
}

/** The communities of platform users, for identity, which links their wallets. */
@InternalController('internal/platform-users', 'identity')
export class PlatformMemberController {
  constructor(private readonly members: PlatformMemberService) {}

  @Post('lookup')
  @Returns(platformMemberResponse)
  find(
    @Body({ schema: platformMemberRequest }) request: PlatformMemberRequest,
  ): Promise<PlatformMemberResponse> {
    return this.members.find(request);
  }
}
