import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import { listPublicCommunities } from '../access/communities.queries.js';
import { toViewer } from '../access/membership.js';
import { CommunityResponseFactory } from './community-response.factory.js';
import { type Community, countFittingCommunities } from './community.dto.js';

/** Lists public communities, oldest first. */
@Injectable()
export class PublicCommunityListService {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
    private readonly responses: CommunityResponseFactory,
  ) {}

  async list(principal: Principal, query: PageQuery): Promise<Page<Community>> {
    const page = await this.pages.paginate({
      list: 'communities',
      principal,
      query,
      load: (cursor) => listPublicCommunities(this.database, toViewer(principal), cursor),
      toSortKey: ({ sortTime, id }) => [sortTime, id],
      countFittingRows: countFittingCommunities,
    });
    return { ...page, items: await this.responses.createMany(page.items) };
  }
}
