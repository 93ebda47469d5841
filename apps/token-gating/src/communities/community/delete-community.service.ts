import type { Principal } from '@app/auth';
import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityEvents } from '../../community-events/community-events.js';
import { newEvent } from '../../community-events/new-event.js';
import { CommunityAccess } from '../access/community-access.js';
import { CLOCK_ISO } from '../shared/database-time.js';

/** Members that one statement takes away, with up to 250 roles each: a small part of what a statement may last. */
const PIECE = 1_000;

// By key, because rows that this transaction deleted already would be walked over again and again.
const DELETE_MEMBERS = `
  WITH piece AS (
    SELECT user_id FROM token_gating.community_members
    WHERE community_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3
  ), members AS (
    DELETE FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = ANY(ARRAY(SELECT user_id FROM piece))
  ), assignments AS (
    DELETE FROM token_gating.role_assignments
    WHERE community_id = $1 AND user_id = ANY(ARRAY(SELECT user_id FROM piece))
  )
  SELECT count(*)::int AS count, max(user_id) AS last FROM piece`;
const DELETE_COMMUNITY = `DELETE FROM token_gating.communities WHERE id = $1 RETURNING ${CLOCK_ISO} AS at`;

const deletedPiece = z.tuple([z.object({ count: z.int(), last: z.string().nullable() })]);
const deletedAt = z.tuple([z.object({ at: z.string() })]);

@Injectable()
export class DeleteCommunityService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccess,
    private readonly events: CommunityEvents,
  ) {}

  /** One transaction, however many members there are: nobody sees half a community. */
  async remove(caller: Principal, communityId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.own(caller, communityId, manager);
      await deleteMembers(manager, communityId);
      const [{ at }] = deletedAt.parse(await rowsOf(manager, DELETE_COMMUNITY, [communityId]));
      await this.events.emit(manager, [newEvent({ type: 'community.deleted', at, communityId })]);
    });
  }
}

/** Nobody else writes them while the community is locked, so the pieces end. */
async function deleteMembers(manager: EntityManager, communityId: string): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const [{ count, last }]: z.output<typeof deletedPiece> = deletedPiece.parse(
      await rowsOf(manager, DELETE_MEMBERS, [communityId, after, PIECE]),
    );
    after = count < PIECE ? null : last;
  }
}
