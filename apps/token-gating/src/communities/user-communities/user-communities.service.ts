import { type Principal, requireSignedInUser } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import {
  type CommunityListRow,
  correctMemberCounts,
  countMembers,
  listAdministratedCommunities,
  listJoinedCommunities,
} from '../access/communities.queries.js';
import { toViewer } from '../access/membership.js';
import { CommunityResponseFactory } from '../community/community-response.factory.js';
import { type Community, countFittingCommunities } from '../community/community.dto.js';

/** Bounds of one request. */
const MAX_COMMUNITIES = 100;
const MAX_MEMBERS = 200_000;

interface CountedCommunity {
  readonly id: string;
  readonly memberCount: number;
}

/** Recounts the members of communities, to repair stored counts that are wrong despite being updated on every change. */
@Injectable()
export class MemberCountService {
  constructor(private readonly database: Database) {}

  /** @returns the same communities; those within the bounds of one request have correct counts */
  async recount<C extends CountedCommunity>(communities: readonly C[]): Promise<C[]> {
    const wrongIds = await this.findWrongCounts(takeWithinBounds(communities));
    if (wrongIds.length === 0) return [...communities];
    const corrected = await this.database.transaction((manager) => correctMemberCounts(manager, wrongIds));
    const byId = new Map(corrected.map(({ id, memberCount }) => [id, memberCount]));
    return communities.map((community) => ({
      ...community,
      memberCount: byId.get(community.id) ?? community.memberCount,
    }));
  }

  /** Counts without a lock: nearly always all counts are correct, and writers must not wait. */
  private async findWrongCounts(ids: readonly string[]): Promise<string[]> {
    const counts = await countMembers(this.database, ids);
    return counts.filter(({ stored, counted }) => stored !== counted).map(({ id }) => id);
  }
}

function takeWithinBounds(communities: readonly CountedCommunity[]): string[] {
  let members = 0;
  const end = communities.findIndex(({ memberCount }) => (members += memberCount) > MAX_MEMBERS);
  const limit = Math.min(MAX_COMMUNITIES, end === -1 ? communities.length : Math.max(end, 1));
  return communities.slice(0, limit).map(({ id }) => id);
}

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
