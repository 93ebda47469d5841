import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { revokeRoleCredentials } from '../../credential-revocations/revoke-credentials.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent } from '../events/create-community-event.js';
import { revokeRole } from './role-assignments.queries.js';

/** Each assignment publishes an event. Bounds how long one transaction holds the lock of the community. */
const MAX_ASSIGNMENTS_PER_TRANSACTION = 2_000;

/** Revokes a role and the credentials about it from members, with an event per member. */
@Injectable()
export class RevokeRoleService {
  constructor(private readonly events: CommunityEventPublisher) {}

  /** The transaction must hold the exclusive lock of the assignments. @returns whether there may be more members */
  async revokeBatch(
    manager: EntityManager,
    { communityId, roleId }: { communityId: string; roleId: string },
  ): Promise<boolean> {
    const members = await revokeRole(manager, communityId, roleId, MAX_ASSIGNMENTS_PER_TRANSACTION);
    const lost = members.map(({ userId }) => ({ userId, roleId }));
    await revokeRoleCredentials(manager, communityId, lost);
    const events = members.map(({ userId, at }) =>
      createCommunityEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
    );
    await this.events.publish(manager, events);
    return members.length === MAX_ASSIGNMENTS_PER_TRANSACTION;
  }
}
