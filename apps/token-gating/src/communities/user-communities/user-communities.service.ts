import { type Principal, requireSignedInUser } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import {
  type CommunityListRow,
  listAdministratedCommunities,
  listJoinedCommunities,
} from '../access/communities.queries.js';
import { toViewer } from '../access/membership.js';
import { CommunityResponseFactory } from '../community/community-response.factory.js';
import type { Community } from '../community/community.dto.js';
import { countFittingCommunities } from '../community/count-fitting-communities.js';
import { MemberCountService } from './member-count.service.js';

/** Existing clients send no limit and do not follow pagination tokens (contract.md section 2). */
export const COMMUNITIES_WITHOUT_LIMIT = 1_000;

/** Lists the communities that the signed-in user has joined or administers, in the order in which that began. */
@Injectable()
export class UserCommunitiesService {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
    private readonly responses: CommunityResponseFactory,
    private readonly counts: MemberCountService,
  ) {}

  async listJoined(principal: Principal, query: PageQuery): Promise<Page<Community>> {
    const page = await this.loadPage(principal, query, 'account/communities', listJoinedCommunities);
    return { ...page, items: await this.responses.createMany(page.items) };
  }

  async listAdministrated(
    principal: Principal,
    query: PageQuery,
    { reload }: { reload: boolean },
  ): Promise<Page<Community>> {
    const list = 'account/administrated-communities';
    const page = await this.loadPage(principal, query, list, listAdministratedCommunities);
    const items = reload ? await this.counts.recount(page.items) : page.items;
    return { ...page, items: await this.responses.createMany(items) };
  }

  private loadPage(
    principal: Principal,
    query: PageQuery,
    list: string,
    listCommunities: typeof listJoinedCommunities,
  ): Promise<Page<CommunityListRow>> {
    requireSignedInUser(principal);
    return this.pages.paginate({
      list,
      principal,
      query,
      defaultLimit: COMMUNITIES_WITHOUT_LIMIT,
      load: (cursor) => listCommunities(this.database, toViewer(principal), cursor),
      toSortKey: ({ sortTime, id }) => [sortTime, id],
      countFittingRows: countFittingCommunities,
    });
  }
}
