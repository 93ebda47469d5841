import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, PaginationService, type PageCursor, FIRST_SORT_KEY } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LISTED_COLUMNS } from '../access/community-record.js';
import { listedCommunity, MEMBERSHIP_COLUMNS, toViewerParameters } from '../access/membership.js';
import { ROLE_COUNT_COLUMN, countFittingCommunities } from './count-fitting-communities.js';
import { CommunityResponseFactory } from './community-response.factory.js';
import type { Community } from './community.dto.js';

// The time as text: a JavaScript date would lose its microseconds, and with them rows.
const PUBLIC = `
  SELECT ${LISTED_COLUMNS}, ${MEMBERSHIP_COLUMNS}, ${ROLE_COUNT_COLUMN}, c.created_at::text AS since
  FROM token_gating.communities c
  WHERE c.visibility = 'public' AND (c.created_at, c.id) > ($3::timestamptz, $4)
  ORDER BY c.created_at, c.id LIMIT $5`;

const rows = z.array(listedCommunity.extend({ since: z.string(), roleCount: z.int() }));

/** Communities that anyone sees, the oldest first. */
@Injectable()
export class PublicCommunityListService {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
    private readonly answers: CommunityResponseFactory,
  ) {}

  async list(caller: Principal, query: PageQuery): Promise<Page<Community>> {
    const page = await this.pages.paginate({
      list: 'communities',
      principal: caller,
      query,
      load: (start) => this.load(caller, start),
      toSortKey: ({ since, id }) => [since, id],
      countFittingRows: countFittingCommunities,
    });
    return { ...page, items: await this.answers.createMany(page.items) };
  }

  private async load(caller: Principal, { after = FIRST_SORT_KEY, rowLimit }: PageCursor) {
    return rows.parse(await this.database.query(PUBLIC, [...toViewerParameters(caller), ...after, rowLimit]));
  }
}
