import { Database, queryRows } from '@app/database';
import { type SweepTask, ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const SWEEP_INTERVAL_MS = 2_000;

/** Rows of one statement: a small part of what it may last. */
const MAX_ROWS_PER_STATEMENT = 5_000;

const DUE = `
  SELECT community_id AS id FROM token_gating.deleted_communities
  ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
const DELETE_ASSIGNMENTS = `
  DELETE FROM token_gating.role_assignments WHERE community_id = $1 AND (user_id, role_id) IN (
    SELECT user_id, role_id FROM token_gating.role_assignments WHERE community_id = $1
    ORDER BY user_id, role_id LIMIT $2
  ) RETURNING user_id`;
const DELETE_MEMBERS = `
  DELETE FROM token_gating.community_members WHERE community_id = $1 AND user_id IN (
    SELECT user_id FROM token_gating.community_members WHERE community_id = $1 ORDER BY user_id LIMIT $2
  ) RETURNING user_id`;
const DONE = 'DELETE FROM token_gating.deleted_communities WHERE community_id = $1';

const due = z.array(z.object({ id: z.string() })).max(1);

/** Removes what is left of communities that are gone. Nobody adds to it: whoever does locks the community first. */
@Injectable()
export class PurgeDeletedCommunitiesStep implements SweepTask {
  readonly name = 'purge deleted communities';

  constructor(private readonly database: Database) {}

  sweep(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [community] = due.parse(await queryRows(manager, DUE));
      if (!community) return false;
      for (const statement of [DELETE_ASSIGNMENTS, DELETE_MEMBERS]) {
        const deleted = await queryRows(manager, statement, [community.id, MAX_ROWS_PER_STATEMENT]);
        if (deleted.length === MAX_ROWS_PER_STATEMENT) return true;
      }
      await queryRows(manager, DONE, [community.id]);
      return true;
    });
  }
}

@Injectable()
export class DeletedCommunitiesSweeper extends Sweeper {
  constructor(context: ServiceContext, deleted: PurgeDeletedCommunitiesStep) {
    super(context, [deleted], SWEEP_INTERVAL_MS);
  }
}
