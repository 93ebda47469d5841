import { type Principal, requireSignedInUser } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { FIRST_SORT_KEY, type Page, PaginationService, type PageCursor } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LISTED_COLUMNS } from '../access/community-record.js';
import { listedCommunity, MEMBERSHIP_COLUMNS, toViewerParameters } from '../access/membership.js';
import { CommunityResponseFactory } from '../community/community-response.factory.js';
import type { Community } from '../community/community.dto.js';
import { ROLE_COUNT_COLUMN, countFittingCommunities } from '../community/count-fitting-communities.js';
import { MemberCountService } from './member-count.service.js';

/** Existing clients name no limit and cannot turn pages (contract.md section 2). */
const ALL = 1_000;

// A page may be a thousand communities with all their roles.
const LISTED = `${LISTED_COLUMNS}, ${MEMBERSHIP_COLUMNS}, ${ROLE_COUNT_COLUMN}`;

const JOINED = `
  SELECT ${LISTED}, m.joined_at::text AS since
  FROM token_gating.community_members m JOIN token_gating.communities c ON c.id = m.community_id
  WHERE m.user_id = $1 AND (m.joined_at, m.community_id) > ($3::timestamptz, $4)
    AND (c.visibility <> 'hidden' OR EXISTS (SELECT FROM token_gating.community_administrators a
      WHERE a.community_id = c.id AND a.user_id = $1))
  ORDER BY m.joined_at, m.community_id LIMIT $5`;
const ADMINISTRATED = `
  SELECT ${LISTED}, o.created_at::text AS since
  FROM token_gating.community_administrators o JOIN token_gating.communities c ON c.id = o.community_id
  WHERE o.user_id = $1 AND (o.created_at, o.community_id) > ($3::timestamptz, $4)
  ORDER BY o.created_at, o.community_id LIMIT $5`;

const rows = z.array(listedCommunity.extend({ since: z.string(), roleCount: z.int() }));
type Row = z.output<typeof rows>[number];

/** Communities of the signed-in user, in the order in which they came to them. */
@Injectable()
export class UserCommunitiesService {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
    private readonly answers: CommunityResponseFactory,
    private readonly counts: MemberCountService,
  ) {}

  async listJoined(caller: Principal, query: PageQuery): Promise<Page<Community>> {
    const page = await this.turn(caller, query, 'account/communities', JOINED);
    return { ...page, items: await this.answers.createMany(page.items) };
  }

  async listAdministrated(
    caller: Principal,
    query: PageQuery,
    { reload }: { reload: boolean },
  ): Promise<Page<Community>> {
    const page = await this.turn(caller, query, 'account/administrated-communities', ADMINISTRATED);
    const items = reload ? await this.counts.recount(page.items) : page.items;
    return { ...page, items: await this.answers.createMany(items) };
  }

  private turn(caller: Principal, query: PageQuery, list: string, sql: string): Promise<Page<Row>> {
    requireSignedInUser(caller);
    const load = async ({ after = FIRST_SORT_KEY, rowLimit }: PageCursor) =>
      rows.parse(await this.database.query(sql, [...toViewerParameters(caller), ...after, rowLimit]));
    const keyOf = ({ since, id }: Row) => [since, id];
    return this.pages.paginate({
      list,
      principal: caller,
      query,
      defaultLimit: ALL,
      load,
      toSortKey: keyOf,
      countFittingRows: countFittingCommunities,
    });
  }
}
