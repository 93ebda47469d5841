import { Database, rowsOf } from '@app/database';
import type { SweepStep } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** Rows of one statement: a small part of what it may last. */
const PIECE = 5_000;

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
export class PurgeDeletedCommunities implements SweepStep {
  readonly name = 'purge deleted communities';

  constructor(private readonly database: Database) {}

  sweep(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [community] = due.parse(await rowsOf(manager, DUE));
      if (!community) return false;
      for (const statement of [DELETE_ASSIGNMENTS, DELETE_MEMBERS]) {
        const deleted = await rowsOf(manager, statement, [community.id, PIECE]);
        if (deleted.length === PIECE) return true;
      }
      await rowsOf(manager, DONE, [community.id]);
      return true;
    });
  }
}
