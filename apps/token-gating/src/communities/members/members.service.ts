import { type Principal, requireSignedInUser, type SignedInUser } from '@app/auth';
import { Database, type Queryable } from '@app/database';
import type { PageQuery, PlatformUser } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdentityClient } from '../../clients/identity-client.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import {
  administratorsOnly,
  attachedClientsOnly,
  communityNotFound,
  communitySuspended,
  ownerOnly,
  userNotFound,
} from '../access/community.errors.js';
import type { ViewedCommunity } from '../access/community-record.js';
import { canManage, canView, toViewer } from '../access/membership.js';
import { isAdministrator } from '../administrators/community-administrators.queries.js';
import { AttachedClientPlansService } from '../client-applications/attached-client-plans.service.js';
import { InvitationLinkService } from '../invitations/invitation-link.service.js';
import { findMember, listMembers, loadMember, type NewMember } from './community-members.queries.js';
import { recordDeparture, wasRemovedSince } from './removed-members.queries.js';
import { type CommunityMember, toCommunityMember, toCommunityMemberWithoutAddress } from './member.dto.js';
import { memberNotFound } from './member.errors.js';
import { MembershipService } from './membership.service.js';

/** Lists members in the order of joining, for administrators and attached client applications. */
@Injectable()
export class MemberListService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly pages: PaginationService,
    private readonly identity: IdentityClient,
  ) {}

  async list(principal: Principal, communityId: string, query: PageQuery): Promise<Page<CommunityMember>> {
    const { isAdministrator } = await this.access.requireManager(principal, communityId);
    const page = await this.pages.paginate({
      list: `members/${communityId}`,
      principal,
      query,
      load: (cursor) => listMembers(this.database, communityId, cursor),
      toSortKey: ({ sortTime, userId }) => [sortTime, userId],
    });
    const toResponse = isAdministrator ? toCommunityMember : toCommunityMemberWithoutAddress;
    const names = await this.identity.fetchNames({
      userIds: page.items.map(({ userId }) => userId),
      // An attached client application sees what it reported itself.
      clientId: isAdministrator || principal.kind !== 'caller' ? undefined : principal.client?.id,
    });
    const items = page.items.map((row) => ({ ...toResponse(row), name: names.get(row.userId) }));
    return { ...page, items };
  }
}

/** Lets users join and leave communities, and managers remove members and add platform users. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly invitations: InvitationLinkService,
    private readonly identity: IdentityClient,
    private readonly memberships: MembershipService,
    private readonly clientPlans: AttachedClientPlansService,
  ) {}

  /** Idempotent. @throws AppError 404 where the user may neither see nor join the community, 409 where it is full */
  async join(
    principal: Principal,
    communityId: string,
    invitation: string | undefined,
  ): Promise<CommunityMember> {
    const user = requireSignedInUser(principal);
    const found = await this.checkCanJoin(
      user.id,
      await this.access.find(principal, communityId),
      invitation,
    );
    const [member, limit] = await Promise.all([
      this.loadNewMember(user),
      this.clientPlans.loadMemberLimit(found),
    ]);
    return this.database.transaction(async (manager) => {
      const community = await this.access.find(principal, communityId, manager);
      await this.checkCanJoin(user.id, community, invitation, manager);
      await this.memberships.add(manager, communityId, [member], limit);
      return toCommunityMember(await loadMember(manager, communityId, user.id));
    });
  }

  /** A member leaves communities that it may not see, and suspended ones, too. @throws AppError 404 for users who are not members */
  async leave(principal: Principal, communityId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const community = await this.access.find(principal, communityId, manager);
      if (!community?.isMember) throw communityNotFound();
      const userId = requireSignedInUser(principal).id;
      await this.memberships.remove(manager, community, userId);
      await recordDeparture(manager, communityId, userId, 'left');
    });
  }

  /**
   * The removed member cannot join again with the current invitation. Only the owner removes another administrator.
   * @param id a user id, or an id on the user's platform. @throws AppError 409 where two members have this id
   */
  async remove(principal: Principal, communityId: string, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const community = await this.access.requireViewer(principal, communityId, manager);
      if (!canManage(community)) throw administratorsOnly();
      const member = await findMember(manager, communityId, id);
      if (!member) throw memberNotFound();
      const isSelf = toViewer(principal).userId === member.userId;
      if (!isSelf && !community.isOwner && (await isAdministrator(manager, communityId, member.userId)))
        throw ownerOnly();
      await this.memberships.remove(manager, community, member.userId, !isSelf);
      await recordDeparture(manager, communityId, member.userId, isSelf ? 'left' : 'removed');
    });
  }

  /**
   * Creates the users in identity where they do not exist, and adds them.
   * @returns the user ids, in order. @throws AppError 409 where the community is full
   */
  async addPlatformUsers(
    principal: Principal,
    communityId: string,
    users: readonly PlatformUser[],
  ): Promise<string[]> {
    const { clientId, community } = await this.requireAttachedClient(principal, communityId);
    const limit = await this.clientPlans.loadMemberLimit(community);
    const userIds = await this.identity.upsertPlatformUsers(clientId, users);
    const members = users.flatMap(({ platform, platformUserId }, index) => {
      const userId = userIds[index];
      return userId === undefined ? [] : [{ userId, platform, platformUserId }];
    });
    await this.database.transaction(async (manager) => {
      await this.requireAttachedClient(principal, communityId, manager);
      await this.memberships.add(manager, communityId, members, limit, clientId);
    });
    return userIds;
  }

  /** @throws AppError 404 for a user that identity does not know */
  private async loadNewMember({ id: userId }: SignedInUser): Promise<NewMember> {
    const { users } = await this.identity.fetchUsers([userId]);
    const user = users.find(({ id }) => id === userId);
    if (!user) throw userNotFound();
    return { userId, platform: user.platform, platformUserId: user.platformUserId };
  }

  private async checkCanJoin(
    userId: string,
    community: ViewedCommunity | undefined,
    invitation: string | undefined,
    db: Queryable = this.database,
  ): Promise<ViewedCommunity> {
    if (!community) throw communityNotFound();
    if (community.isSuspended)
      throw canView(community, community) ? communitySuspended() : communityNotFound();
    if (canView(community, community)) return community;
    const isInvited = invitation !== undefined && this.invitations.isValidCode(community, invitation);
    if (!isInvited || (await wasRemovedSince(db, community, userId))) throw communityNotFound();
    return community;
  }

  /** @returns the id of the client application, and the community */
  private async requireAttachedClient(principal: Principal, communityId: string, manager?: EntityManager) {
    const community = manager
      ? await this.access.requireViewer(principal, communityId, manager)
      : await this.access.requireActive(principal, communityId);
    const { clientId } = toViewer(principal);
    if (!community.isAttachedClient || clientId === null) throw attachedClientsOnly();
    return { clientId, community };
  }
}
