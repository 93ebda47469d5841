import { Database, queryRows } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const SWEEP_INTERVAL_MS = 2_000;
const MAX_ROWS = 5_000;
/** Concurrent inserts have ended after this time; a second purge removes their rows. */
const SECOND_PURGE_AFTER = '1 minute';

const CLAIM_DUE = `
  SELECT community_id FROM analytics.deleted_communities WHERE purge_at <= now()
  ORDER BY purge_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
const DELETE_BATCH = `
  DELETE FROM analytics.community_events WHERE id IN (
    SELECT id FROM analytics.community_events WHERE community_id = $1 LIMIT $2
  )
  RETURNING id`;
const SCHEDULE_NEXT_PURGE = `
  UPDATE analytics.deleted_communities
  SET purge_at = CASE
    WHEN received_at > now() - interval '${SECOND_PURGE_AFTER}' THEN received_at + interval '${SECOND_PURGE_AFTER}'
  END
  WHERE community_id = $1`;

const due = z.array(z.object({ community_id: z.string() })).max(1);

/** Deletes the events of deleted communities in batches. */
@Injectable()
export class CommunityEventSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
  ) {
    super(context, [{ name: 'purge deleted communities', sweep: () => this.purge() }], SWEEP_INTERVAL_MS);
  }

  private purge(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [community] = due.parse(await queryRows(manager, CLAIM_DUE));
      if (!community) return false;
      const { community_id: id } = community;
      const deleted = await queryRows(manager, DELETE_BATCH, [id, MAX_ROWS]);
      if (deleted.length < MAX_ROWS) await queryRows(manager, SCHEDULE_NEXT_PURGE, [id]);
      return true;
    });
  }
}
