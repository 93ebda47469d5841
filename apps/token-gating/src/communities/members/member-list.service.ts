import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
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
    private readonly identity: IdentityClient,
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
    const names = await this.identity.fetchNames({
      userIds: page.items.map(({ userId }) => userId),
      // An attached client application sees what it reported itself.
      clientId: isAdministrator || principal.kind !== 'caller' ? undefined : principal.client?.id,
    });
    const items = page.items.map((row) => ({ ...toResponse(row), name: names.get(row.userId) }));
    return { ...page, items };
  }
}
