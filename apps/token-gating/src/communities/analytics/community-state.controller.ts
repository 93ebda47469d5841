import { Database } from '@app/database';
import {
  type CommunityStateRequest,
  communityStateRequest,
  type CommunityStateResponse,
  communityStateResponse,
  MAX_MEMBERS_PER_STATE,
  type WalletLink,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Injectable, Post } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { lockCommunity } from '../access/communities.queries.js';
import { loadMemberStates, type MemberRoles } from './member-states.queries.js';

/** Loads what members of a community have at one time. */
@Injectable()
export class CommunityStateService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
  ) {}

  /** @throws AppError 503 while identity is unavailable */
  async load(request: CommunityStateRequest): Promise<CommunityStateResponse> {
    const { communityId } = request;
    const page = await this.database.transaction(async (manager) => {
      // Joins and leaves of before this time have ended then, and later ones have not begun.
      await lockCommunity(manager, communityId);
      return loadMemberStates(manager, request, MAX_MEMBERS_PER_STATE + 1);
    });
    if (!page) return { outcome: 'community_not_found' };
    const { at } = page;
    const members = page.members.slice(0, MAX_MEMBERS_PER_STATE);
    const links = await this.loadLinks(communityId, members);
    const hasMore = page.members.length > members.length;
    return {
      ...{ outcome: 'found', at, hasMore },
      members: members.map((member) => ({ ...member, wallets: listWallets(links.get(member.userId), at) })),
    };
  }

  private async loadLinks(
    communityId: string,
    members: readonly MemberRoles[],
  ): Promise<ReadonlyMap<string, readonly WalletLink[]>> {
    if (members.length === 0) return new Map();
    const userIds = members.map(({ userId }) => userId);
    const { users } = await this.identity.fetchWalletLinks(communityId, userIds);
    return new Map(users.map(({ userId, links }) => [userId, links]));
  }
}

/** All times have microseconds and are compared as text. */
const listWallets = (links: readonly WalletLink[] = [], at: string) =>
  links
    .filter(({ linkedAt, unlinkedAt }) => linkedAt <= at && (unlinkedAt === undefined || unlinkedAt > at))
    .map(({ accountId, linkedAt }) => ({ id: accountId, since: linkedAt }));

/** What members of a community have, with which analytics compares its history. */
@InternalController('internal/community-state', 'analytics')
export class CommunityStateController {
  constructor(private readonly states: CommunityStateService) {}

  @Post()
  @Returns(communityStateResponse)
  load(
    @Body({ schema: communityStateRequest }) request: CommunityStateRequest,
  ): Promise<CommunityStateResponse> {
    return this.states.load(request);
  }
}
