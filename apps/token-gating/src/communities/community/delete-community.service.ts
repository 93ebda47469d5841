import type { Principal } from '@app/auth';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent, EVENT_TIME_SQL } from '../events/create-community-event.js';
import { lockAssignmentsExclusive } from '../roles/role-assignment-lock.js';
import { CommunityAccessService } from '../access/community-access.service.js';

const DELETE = `
  WITH gone AS (DELETE FROM token_gating.communities WHERE id = $1 RETURNING id)
  INSERT INTO token_gating.deleted_communities (community_id) SELECT id FROM gone RETURNING ${EVENT_TIME_SQL} AS at`;

const deletedAt = z.tuple([z.object({ at: z.string() })]);

@Injectable()
export class DeleteCommunityService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly events: CommunityEventPublisher,
  ) {}

  /** It is gone at once, however many members it has. Their rows are left to PurgeDeletedCommunities. */
  async delete(caller: Principal, communityId: string): Promise<void> {
    await this.access.requireOwner(caller, communityId);
    await this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      await this.access.requireOwner(caller, communityId, manager);
      const [{ at }] = deletedAt.parse(await queryRows(manager, DELETE, [communityId]));
      await this.events.publish(manager, [
        createCommunityEvent({ type: 'community.deleted', at, communityId }),
      ]);
    });
  }
}
