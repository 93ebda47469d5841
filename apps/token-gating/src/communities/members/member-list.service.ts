import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import { CommunityAccessService } from '../access/community-access.service.js';
import { listMembers } from './community-members.queries.js';
import type { CommunityMember } from './member.dto.js';
import { toCommunityMember, toCommunityMemberWithoutAddress } from './to-community-member.js';

/** Lists members in the order of joining, for administrators and attached client applications. */
@Injectable()
export class MemberListService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly pages: PaginationService,
  ) {}

  async list(principal: Principal, communityId: string, query: PageQuery): Promise<Page<CommunityMember>> {
    const { isAdministrator } = await this.access.requireManager(principal, communityId);
    const page = await this.pages.paginate({
      list: `members/${communityId}`,
      principal,
      query,
      load: (cursor) => listMembers(this.database, communityId, cursor),
      toSortKey: ({ sortTime, userId }) => [sortTime, userId],
    });
    const toResponse = isAdministrator ? toCommunityMember : toCommunityMemberWithoutAddress;
    return { ...page, items: page.items.map(toResponse) };
  }
}
