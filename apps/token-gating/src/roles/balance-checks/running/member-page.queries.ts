import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { memberCursor, type MemberCursor, type RunningBalanceCheck } from './running-balance-check.js';

/** One row also where there is no member: the time is that of the database, before anything is read. */
const LOAD = `
  SELECT clock_timestamp()::text AS "readAt", c.rules_revision AS "rulesRevision", coalesce((
    SELECT json_agg(json_build_object('joinedAt', m.joined_at::text, 'userId', m.user_id)
      ORDER BY m.joined_at, m.user_id)
    FROM (
      SELECT joined_at, user_id FROM token_gating.community_members
      WHERE community_id = c.id AND joined_at <= $2::timestamptz
        AND (joined_at, user_id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4, ''))
      ORDER BY joined_at, user_id LIMIT $5
    ) m
  ), '[]') AS members
  FROM token_gating.communities c WHERE c.id = $1`;

const memberPage = z.object({
  readAt: z.string(),
  rulesRevision: z.int(),
  members: z.array(memberCursor),
});
export type MemberPage = Readonly<z.output<typeof memberPage>>;

/** The members of a community, those who were there when the check began. */
@Injectable()
export class MemberPageQueries {
  constructor(private readonly database: Database) {}

  /** Undefined when the community is gone. */
  async load(
    { communityId, startedAt }: RunningBalanceCheck,
    after: MemberCursor | undefined,
    limit: number,
  ): Promise<MemberPage | undefined> {
    const from = [after?.joinedAt ?? null, after?.userId ?? null];
    const rows = await this.database.query(LOAD, [communityId, startedAt, ...from, limit]);
    return z.array(memberPage).parse(rows)[0];
  }
}
