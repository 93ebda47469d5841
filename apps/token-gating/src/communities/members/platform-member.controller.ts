import { Database } from '@app/database';
import {
  type PlatformMemberRequest,
  platformMemberRequest,
  type PlatformMemberResponse,
  platformMemberResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Injectable, Post } from '@nestjs/common';
import { findAttachment } from '../access/communities.queries.js';
import { findPlatformMembers } from './community-members.queries.js';

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
