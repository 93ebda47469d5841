import type { Principal } from '@app/auth';
import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityEvents } from '../../community-events/community-events.js';
import { newEvent } from '../../community-events/new-event.js';
import { stopStoring } from '../../role-assignments/storing-lock.js';
import { CommunityAccess } from '../access/community-access.js';
import { CLOCK_ISO } from '../shared/database-time.js';

const DELETE = `
  WITH gone AS (DELETE FROM token_gating.communities WHERE id = $1 RETURNING id)
  INSERT INTO token_gating.deleted_communities (community_id) SELECT id FROM gone RETURNING ${CLOCK_ISO} AS at`;

const deletedAt = z.tuple([z.object({ at: z.string() })]);

@Injectable()
export class DeleteCommunityService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccess,
    private readonly events: CommunityEvents,
  ) {}

  /** It is gone at once, however many members it has. Their rows are left to PurgeDeletedCommunities. */
  async remove(caller: Principal, communityId: string): Promise<void> {
    await this.access.own(caller, communityId);
    await this.database.transaction(async (manager) => {
      await stopStoring(manager, communityId);
      await this.access.own(caller, communityId, manager);
      const [{ at }] = deletedAt.parse(await rowsOf(manager, DELETE, [communityId]));
      await this.events.emit(manager, [newEvent({ type: 'community.deleted', at, communityId })]);
    });
  }
}
