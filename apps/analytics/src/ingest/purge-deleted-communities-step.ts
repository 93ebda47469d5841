import { Database, queryRows } from '@app/database';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const MOST_ROWS = 5_000;
/** An insert that had begun when the news came has ended by then: what it left is removed in a second round. */
const SECOND_ROUND = '1 minute';

const DUE = `
  SELECT community_id FROM analytics.deleted_communities WHERE purge_at <= now()
  ORDER BY purge_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
const DELETE_SOME = `
  DELETE FROM analytics.community_events WHERE id IN (
    SELECT id FROM analytics.community_events WHERE community_id = $1 LIMIT $2
  )
  RETURNING id`;
const DONE_FOR_NOW = `
  UPDATE analytics.deleted_communities
  SET purge_at = CASE
    WHEN received_at > now() - interval '${SECOND_ROUND}' THEN received_at + interval '${SECOND_ROUND}'
  END
  WHERE community_id = $1`;

const due = z.array(z.object({ community_id: z.string() })).max(1);

/** Removes the events of communities that are gone, a piece at a time. */
@Injectable()
export class PurgeDeletedCommunitiesStep implements SweepTask {
  readonly name = 'purge deleted communities';

  constructor(private readonly database: Database) {}

  sweep(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [community] = due.parse(await queryRows(manager, DUE));
      if (!community) return false;
      const { community_id: id } = community;
      const deleted = await queryRows(manager, DELETE_SOME, [id, MOST_ROWS]);
      if (deleted.length < MOST_ROWS) await queryRows(manager, DONE_FOR_NOW, [id]);
      return true;
    });
  }
}
