import { randomUUID } from 'node:crypto';
import { MAX_USERS_PER_LINK_LOOKUP } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { memberChecksQueue, type MemberWalletsJob, memberWalletsQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { revokeMemberCredentials } from '../../credential-revocations/revoke-credentials.js';
import {
  insertReportedMembers,
  loadMemberIdentities,
} from '../../callbacks/role-callbacks/member-identities.queries.js';
import { addToMemberCount } from '../access/communities.queries.js';
import type { CommunitySummary } from '../access/community-record.js';
import { deleteAdministrator } from '../administrators/community-administrators.queries.js';
import type { MemberLimit } from '../client-applications/attached-client-plans.service.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent } from '../events/create-community-event.js';
import { revokeRolesOfMember } from '../roles/role-assignments.queries.js';
import { deleteMember, insertMembers, type NewMember } from './community-members.queries.js';
import { memberLimitExceeded, memberLimitWithoutApplicationExceeded } from './member.errors.js';

/**
 * Adds and removes members with all that depends on it: the member count, roles, credentials, events and checks. The caller's
 * transaction must have locked the community.
 */
@Injectable()
export class MembershipService {
  constructor(
    private readonly events: CommunityEventPublisher,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Skips users who are members already. @param members at most 500. @param reporterId the client application that reported them
   * @throws AppError 409 beyond the limit
   */
  async add(
    manager: EntityManager,
    communityId: string,
    members: readonly NewMember[],
    { limit, isWithoutApplication }: MemberLimit,
    reporterId?: string,
  ): Promise<void> {
    const joined = await insertMembers(manager, communityId, members);
    if (reporterId !== undefined) {
      const reported = { userIds: members.map(({ userId }) => userId), clientId: reporterId };
      await insertReportedMembers(manager, communityId, reported);
    }
    if (joined.length === 0) return;
    const count = await addToMemberCount(manager, communityId, joined.length);
    if (limit !== undefined && count > limit)
      throw isWithoutApplication ? memberLimitWithoutApplicationExceeded() : memberLimitExceeded(limit);
    await this.events.publish(
      manager,
      joined.map(({ userId, joinedAt: at }) =>
        createCommunityEvent({ type: 'member.joined', at, communityId, userId }),
      ),
    );
    const userIds = joined.map(({ userId }) => userId);
    await this.outbox.add(manager, memberChecksQueue, [
      { version: 1, id: randomUUID(), communityId, userIds },
    ]);
    await this.publishWallets(manager, communityId, joined);
  }

  /**
   * Does nothing where the user is not a member. Ends their administration too, except that of the owner.
   * @param areRemoved whether an administrator removes the member
   */
  async remove(
    manager: EntityManager,
    { id: communityId, ownerId }: Pick<CommunitySummary, 'id' | 'ownerId'>,
    userId: string,
    areRemoved = false,
  ): Promise<void> {
    // The identities are loaded before the deletion, which also deletes who reported the member.
    const identities = await loadMemberIdentities(manager, [{ communityId, userId }]);
    const member = await deleteMember(manager, communityId, userId);
    if (!member) return;
    const { joinedAt, leftAt: at } = member;
    if (userId !== ownerId) await deleteAdministrator(manager, communityId, userId);
    const roleIds = await revokeRolesOfMember(manager, communityId, userId);
    await revokeMemberCredentials(manager, communityId, userId);
    await addToMemberCount(manager, communityId, -1);
    const revocations = roleIds.map((roleId) =>
      createCommunityEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
    );
    const leaving = createCommunityEvent({ type: 'member.left', at, communityId, userId });
    await this.events.publish(manager, [...revocations, leaving], { identities, areRemoved });
    await this.publishWallets(manager, communityId, [{ userId, joinedAt, leftAt: at }]);
  }

  /** Publishes wallets after the transaction, because identity knows them. */
  private async publishWallets(
    manager: EntityManager,
    communityId: string,
    memberships: MemberWalletsJob['memberships'],
  ): Promise<void> {
    const jobs: MemberWalletsJob[] = [];
    for (let start = 0; start < memberships.length; start += MAX_USERS_PER_LINK_LOOKUP)
      jobs.push({
        version: 1,
        id: randomUUID(),
        communityId,
        memberships: memberships.slice(start, start + MAX_USERS_PER_LINK_LOOKUP),
      });
    await this.outbox.add(manager, memberWalletsQueue, jobs);
  }
}
