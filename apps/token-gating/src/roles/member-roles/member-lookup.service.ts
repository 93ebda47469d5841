import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import { communityNotFound, communitySuspended } from '../../communities/access/community.errors.js';
import type { ViewedCommunity } from '../../communities/access/community-record.js';
import { canManage, canView, toViewer } from '../../communities/access/membership.js';
import {
  findMember,
  findOwnMember,
  type FoundMember,
} from '../../communities/members/community-members.queries.js';
import { memberNotFound } from '../../communities/members/member.errors.js';

/** A member with the community. */
export interface CommunityMembership extends FoundMember {
  readonly community: ViewedCommunity;
}

/**
 * Finds members whose roles the principal may see: all members for administrators and attached client applications, only
 * themselves for others, also in a community that they may not see.
 */
@Injectable()
export class MemberLookupService {
  constructor(
    private readonly access: CommunityAccessService,
    private readonly database: Database,
  ) {}

  /**
   * @param id a user id, or an id on the user's platform
   * @throws AppError 403 for members and those who run it where the community is suspended; 404 for what the principal may not see, as for what does not exist; 409 where members of two
   * platforms have this id
   */
  async find(principal: Principal, communityId: string, id: string): Promise<CommunityMembership> {
    const community = await this.access.find(principal, communityId);
    if (community?.isSuspended)
      throw community.isMember || canManage(community) ? communitySuspended() : communityNotFound();
    if (!community || !(community.isMember || canView(community, community))) throw communityNotFound();
    const member = canManage(community)
      ? await findMember(this.database, communityId, id)
      : await findOwnMember(this.database, communityId, id, toViewer(principal).userId);
    if (!member) throw canView(community, community) ? memberNotFound() : communityNotFound();
    return { ...member, community };
  }
}
