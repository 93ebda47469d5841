import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { FIRST_KEY, type Page, Pages, type PageStart } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccess } from '../access/community-access.js';
import type { CommunityMember } from './member.dto.js';
import { MEMBER_COLUMNS, memberRow, toMember, withoutAddress } from './member-row.js';

const MEMBERS = `
  SELECT ${MEMBER_COLUMNS} FROM token_gating.community_members m
  WHERE m.community_id = $1 AND (m.joined_at, m.user_id) > ($2::timestamptz, $3)
  ORDER BY m.joined_at, m.user_id LIMIT $4`;

const rows = z.array(memberRow);

/** Members for those who run the community, in the order in which they joined. */
@Injectable()
export class MemberListService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccess,
    private readonly pages: Pages,
  ) {}

  async list(caller: Principal, communityId: string, query: PageQuery): Promise<Page<CommunityMember>> {
    const { isAdministrator } = await this.access.inspect(caller, communityId);
    const page = await this.pages.turn({
      list: `members/${communityId}`,
      caller,
      query,
      load: (start) => this.load(communityId, start),
      keyOf: ({ since, userId }) => [since, userId],
    });
    return { ...page, items: page.items.map(isAdministrator ? toMember : withoutAddress) };
  }

  private async load(communityId: string, { after = FIRST_KEY, count }: PageStart) {
    return rows.parse(await this.database.query(MEMBERS, [communityId, ...after, count]));
  }
}
