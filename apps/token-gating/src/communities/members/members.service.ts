import { type Principal, requireSignedInUser, type SignedInUser } from '@app/auth';
import { Database, queryRows } from '@app/database';
import type { PlatformUser } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { IdentityClient } from '../../clients/identity-client.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import {
  administratorsOnly,
  attachedClientsOnly,
  communityNotFound,
  userNotFound,
} from '../access/community.errors.js';
import { type ViewedCommunity, canView, canManage } from '../access/membership.js';
import { InvitationLinkService } from '../invitations/invitation-link.service.js';
import { FIND_MEMBER, parseUniqueMember } from './find-member.queries.js';
import type { CommunityMember } from './member.dto.js';
import { MEMBER_COLUMNS, memberRow, toCommunityMember } from './member-row.js';
import { memberNotFound } from './member.errors.js';
import { MembershipService, type NewMember } from './membership.service.js';

/** Who a signed-in user is on their platform. @throws AppError 404 for a user that identity does not know */
export async function loadNewMember(
  identity: IdentityClient,
  { id: userId }: SignedInUser,
): Promise<NewMember> {
  const { users } = await identity.fetchUsers([userId]);
  const known = users.find(({ id }) => id === userId);
  if (!known) throw userNotFound();
  return { userId, platform: known.platform, platformUserId: known.platformUserId };
}

const MEMBER = `
  SELECT ${MEMBER_COLUMNS} FROM token_gating.community_members m WHERE m.community_id = $1 AND m.user_id = $2`;

const one = z.tuple([memberRow]);

/** Who belongs to a community. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly invitations: InvitationLinkService,
    private readonly identity: IdentityClient,
    private readonly memberships: MembershipService,
  ) {}

  /** Once more does no harm. @throws AppError 404 for communities that the user may neither see nor join */
  async join(
    caller: Principal,
    communityId: string,
    invitation: string | undefined,
  ): Promise<CommunityMember> {
    const user = requireSignedInUser(caller);
    this.checkMayJoin(await this.access.find(caller, communityId), invitation);
    const member = await loadNewMember(this.identity, user);
    return this.database.transaction(async (manager) => {
      this.checkMayJoin(await this.access.find(caller, communityId, manager), invitation);
      await this.memberships.add(manager, communityId, [member]);
      return toCommunityMember(one.parse(await queryRows(manager, MEMBER, [communityId, user.id]))[0]);
    });
  }

  /** Whoever belongs to a community may leave it, also one that they do not see. @throws AppError 404 for others */
  async leave(caller: Principal, communityId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const community = await this.access.find(caller, communityId, manager);
      if (!community?.isMember) throw communityNotFound();
      await this.memberships.remove(manager, communityId, requireSignedInUser(caller).id);
    });
  }

  /** @param id a user id, or an id on the user's platform @throws AppError 409 when it means two */
  async remove(caller: Principal, communityId: string, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!canManage(await this.access.requireViewer(caller, communityId, manager)))
        throw administratorsOnly();
      const userId = parseUniqueMember(await queryRows(manager, FIND_MEMBER, [communityId, id]));
      if (userId === undefined) throw memberNotFound();
      await this.memberships.remove(manager, communityId, userId);
    });
  }

  /** Makes users of other platforms known, and members. @returns the id of each, in order */
  async addPlatformUsers(
    caller: Principal,
    communityId: string,
    users: readonly PlatformUser[],
  ): Promise<string[]> {
    this.checkAttached(await this.access.requireViewer(caller, communityId));
    const userIds = await this.identity.upsertPlatformUsers(users);
    const members = users.flatMap(({ platform, platformUserId }, index) => {
      const userId = userIds[index];
      return userId === undefined ? [] : [{ userId, platform, platformUserId }];
    });
    await this.database.transaction(async (manager) => {
      this.checkAttached(await this.access.requireViewer(caller, communityId, manager));
      await this.memberships.add(manager, communityId, members);
    });
    return userIds;
  }

  private checkMayJoin(community: ViewedCommunity | undefined, invitation: string | undefined): void {
    if (!community) throw communityNotFound();
    const isInvited = invitation !== undefined && this.invitations.isValidCode(community, invitation);
    if (!isInvited && !canView(community, community)) throw communityNotFound();
  }

  private checkAttached({ isAttachedClient }: ViewedCommunity): void {
    if (!isAttachedClient) throw attachedClientsOnly();
  }
}
