import type { Principal } from '@app/auth';
import { conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccess } from '../communities/access/community-access.js';
import { type CommunityInView, runs, viewerOf } from '../communities/access/standing.js';

/** Members go by either id. What the clock says is before anything about their wallets is known. */
const FIND = `
  SELECT user_id AS "userId", clock_timestamp()::text AS "startedAt" FROM token_gating.community_members
  WHERE community_id = $1 AND (user_id = $2 OR platform_user_id = $2)
  ORDER BY user_id LIMIT 25`;

const found = z.array(z.object({ userId: z.string(), startedAt: z.string() }));

export interface FoundMember {
  readonly community: CommunityInView;
  readonly userId: string;
  /** Database time, at microseconds. */
  readonly startedAt: string;
}

/** Members whose roles somebody may ask for: everybody's for who runs the community, otherwise their own. */
@Injectable()
export class FindMember {
  constructor(
    private readonly access: CommunityAccess,
    private readonly database: Database,
  ) {}

  /**
   * @param id the user's id, or what the user goes by on their platform
   * @throws AppError 404 for what the caller may not see, the same as for what does not exist; 409 when two members go by
   * that id
   */
  async find(principal: Principal, communityId: string, id: string): Promise<FoundMember> {
    const community = await this.access.see(principal, communityId);
    const rows = found.parse(await this.database.query(FIND, [communityId, id]));
    const [asker] = viewerOf(principal);
    const [member, another] = rows.filter(({ userId }) => runs(community) || userId === asker);
    if (!member) throw notFound('member_not_found', 'There is no such member.');
    if (another)
      throw conflict('ambiguous_user', 'Several members go by this id: ask for one by the user id.');
    return { community, ...member };
  }
}
