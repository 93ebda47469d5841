import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import { communityNotFound } from '../../communities/access/community.errors.js';
import {
  type ViewedCommunity,
  canView,
  canManage,
  toViewerParameters,
} from '../../communities/access/membership.js';
import { memberNotFound } from '../../communities/members/member.errors.js';
import {
  FIND_MEMBER,
  PLATFORM_USER_ID_MATCHES,
  parseUniqueMember,
} from '../../communities/members/find-member.queries.js';

/** The same for $3, who asks: whoever else goes by that id on their platform does not matter. */
const FIND_OWN_MEMBER = `
  SELECT user_id AS "userId" FROM token_gating.community_members
  WHERE community_id = $1 AND user_id = $3 AND (user_id = $2 OR ${PLATFORM_USER_ID_MATCHES} AND NOT EXISTS (
    SELECT FROM token_gating.community_members named WHERE named.community_id = $1 AND named.user_id = $2))`;

/** What the clock says is before anything about a member's wallets is known. */
const toTimedQuery = (find: string) =>
  `SELECT found."userId", clock_timestamp()::text AS "startedAt" FROM (${find}) AS found`;

const times = z.array(z.object({ startedAt: z.string() }));

export interface FoundMember {
  readonly community: ViewedCommunity;
  readonly userId: string;
  /** Database time, at microseconds. */
  readonly startedAt: string;
}

/**
 * Members whose roles somebody may ask for: everybody's for who runs the community, otherwise their own, also where they do
 * not see the community.
 */
@Injectable()
export class MemberLookupService {
  constructor(
    private readonly access: CommunityAccessService,
    private readonly database: Database,
  ) {}

  /**
   * @param id the user's id, or what the user goes by on their platform
   * @throws AppError 404 for what the caller may not see, the same as for what does not exist; 409 when two members go by
   * that id
   */
  async find(principal: Principal, communityId: string, id: string): Promise<FoundMember> {
    const community = await this.access.find(principal, communityId);
    if (!community || !(community.isMember || canView(community, community))) throw communityNotFound();
    const [asker] = toViewerParameters(principal);
    const rows = canManage(community)
      ? await this.database.query(toTimedQuery(FIND_MEMBER), [communityId, id])
      : await this.database.query(toTimedQuery(FIND_OWN_MEMBER), [communityId, id, asker]);
    const userId = parseUniqueMember(rows);
    const [time] = times.parse(rows);
    if (userId === undefined || !time)
      throw canView(community, community) ? memberNotFound() : communityNotFound();
    return { community, userId, ...time };
  }
}
