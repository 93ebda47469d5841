import { Database } from '@app/database';
import {
  type AnalyticsAccessRequest,
  analyticsAccessRequest,
  type AnalyticsAccessResponse,
  analyticsAccessResponse,
  type CommunityStateRequest,
  communityStateRequest,
  type CommunityStateResponse,
  communityStateResponse,
  MAX_MEMBERS_PER_STATE,
  type WalletLink,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Injectable, Post } from '@nestjs/common';
import { findMembership, lockCommunity } from '../access/communities.queries.js';
import { canView } from '../access/membership.js';
import { AttachedClientPlansService } from '../client-applications/attached-client-plans.service.js';
import { loadRoles } from '../roles/community-roles.queries.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { loadMemberStates, type MemberRoles } from './member-states.queries.js';

/** Decides who may read the analytics of a community: its administrators, and attached client applications. */
@Injectable()
export class AnalyticsAccessService {
  constructor(
    private readonly database: Database,
    private readonly plans: AttachedClientPlansService,
  ) {}

  /** @throws AppError 503 while identity is unavailable, only for requests `withWallets` */
  async check(request: AnalyticsAccessRequest): Promise<AnalyticsAccessResponse> {
    const { communityId, userId, clientId, withWallets } = request;
    const viewer = { userId: userId ?? null, clientId: clientId ?? null };
    const community = await findMembership(this.database, viewer, communityId);
    if (!community || !canView(community, community)) return { outcome: 'community_not_found' };
    if (userId !== undefined && !community.isAdministrator) return { outcome: 'administrator_required' };
    if (userId === undefined && !community.isAttachedClient) return { outcome: 'client_not_attached' };
    const roles = await loadRoles(this.database, [communityId]);
    const readsWallets =
      withWallets === true &&
      userId === undefined &&
      clientId !== undefined &&
      (await this.plans.hasScope(clientId, 'user:wallet:read'));
    const { name } = community;
    return { outcome: 'granted', name, roles: roles.get(communityId) ?? [], readsWallets };
  }
}

/** Tells analytics and identity's portal who may read the analytics of a community. */
@InternalController('internal/analytics-access', 'analytics', 'identity')
export class AnalyticsAccessController {
  constructor(private readonly access: AnalyticsAccessService) {}

  @Post()
  @Returns(analyticsAccessResponse)
  check(
    @Body({ schema: analyticsAccessRequest }) request: AnalyticsAccessRequest,
  ): Promise<AnalyticsAccessResponse> {
    return this.access.check(request);
  }
}

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
