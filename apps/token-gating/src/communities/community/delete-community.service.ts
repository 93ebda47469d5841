import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CommunityAccessService } from '../access/community-access.service.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent } from '../events/create-community-event.js';
import { lockAssignmentsExclusive } from '../roles/role-assignments.queries.js';
import { deleteCommunity } from './deleted-communities.queries.js';

@Injectable()
export class DeleteCommunityService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly events: CommunityEventPublisher,
  ) {}

  /** Deletes the community at once; DeletedCommunitiesSweeper purges its members and role assignments later. */
  async delete(principal: Principal, communityId: string): Promise<void> {
    await this.access.requireDeleter(principal, communityId);
    await this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      await this.access.requireDeleter(principal, communityId, manager);
      const at = await deleteCommunity(manager, communityId);
      await this.events.publish(manager, [
        createCommunityEvent({ type: 'community.deleted', at, communityId }),
      ]);
    });
  }
}
