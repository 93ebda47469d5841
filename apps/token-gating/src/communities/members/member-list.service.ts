import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { FIRST_SORT_KEY, type Page, PaginationService, type PageCursor } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import type { CommunityMember } from './member.dto.js';
import {
  MEMBER_COLUMNS,
  memberRow,
  toCommunityMember,
  toCommunityMemberWithoutAddress,
} from './member-row.js';

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
    private readonly access: CommunityAccessService,
    private readonly pages: PaginationService,
  ) {}

  async list(caller: Principal, communityId: string, query: PageQuery): Promise<Page<CommunityMember>> {
    const { isAdministrator } = await this.access.requireManager(caller, communityId);
    const page = await this.pages.paginate({
      list: `members/${communityId}`,
      principal: caller,
      query,
      load: (start) => this.load(communityId, start),
      toSortKey: ({ since, userId }) => [since, userId],
    });
    return {
      ...page,
      items: page.items.map(isAdministrator ? toCommunityMember : toCommunityMemberWithoutAddress),
    };
  }

  private async load(communityId: string, { after = FIRST_SORT_KEY, rowLimit }: PageCursor) {
    return rows.parse(await this.database.query(MEMBERS, [communityId, ...after, rowLimit]));
  }
}
