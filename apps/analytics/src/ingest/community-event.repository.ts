import { Database } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import { Injectable } from '@nestjs/common';

/** Idempotent by event id. Skips events of deleted communities, including late ones. */
const INSERT_EVENTS = `
  INSERT INTO analytics.community_events (id, type, at, community_id, user_id, role_id, account_id)
  SELECT e.id, e.type, e.at, e."communityId", e."userId", e."roleId", e."accountId"
  FROM jsonb_to_recordset($1::jsonb) AS e (
    id uuid, type text, at timestamptz, "communityId" text, "userId" text, "roleId" text, "accountId" text
  )
  WHERE NOT EXISTS (SELECT FROM analytics.deleted_communities AS d WHERE d.community_id = e."communityId")
  ORDER BY e.id
  ON CONFLICT (id) DO NOTHING`;

const MARK_DELETED = `
  INSERT INTO analytics.deleted_communities (community_id, at)
  SELECT DISTINCT ON (e."communityId") e."communityId", e.at
  FROM jsonb_to_recordset($1::jsonb) AS e ("communityId" text, at timestamptz)
  ORDER BY e."communityId"
  ON CONFLICT (community_id) DO NOTHING`;

/** Events of communities over time, and which communities are deleted. */
@Injectable()
export class CommunityEventRepository {
  constructor(private readonly database: Database) {}

  /** Inserts the events of one job. A `community.deleted` event marks the community instead of being stored. */
  async insertEvents(events: readonly CommunityEvent[]): Promise<void> {
    const deletions = events.filter(({ type }) => type === 'community.deleted');
    if (deletions.length > 0) await this.database.query(MARK_DELETED, [JSON.stringify(deletions)]);
    const others = events.filter(({ type }) => type !== 'community.deleted');
    if (others.length > 0) await this.database.query(INSERT_EVENTS, [JSON.stringify(others)]);
  }
}
